"""The documents say what the code does: tables are the registries', commands exist and can be called like that."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from bot.cli import app, page
from bot.github.permissions import manifest, wanted
from handlers.intake import HANDLED
from handlers.slash import BY_WORD

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))


# OP-1
def test_the_installation_page_lists_the_permissions_of_the_app() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (read|write) \|", (ROOT / "docs/install.md").read_text(), re.MULTILINE)
    assert dict(rows) == wanted()


# IN-1
def test_the_app_subscribes_to_every_event_that_heal_acts_on() -> None:
    always = {"installation", "installation_repositories"}  # that every App gets
    events = manifest()["default_events"]
    assert isinstance(events, list)
    assert set(events) >= HANDLED - always


# SC-1
@pytest.mark.parametrize("name", ["README.md", "docs/commands.md"])
def test_every_slash_command_is_listed_as_the_registry_has_it(name: str) -> None:
    rows = [line for line in (ROOT / name).read_text().splitlines() if line.startswith("| `/heal")]
    expected = [
        f"| `{one.SYNTAX.replace('|', chr(92) + '|')}` | {one.PERMISSION} | {one.HELP} |" for one in BY_WORD.values()
    ]
    assert rows == expected


# CLI-1
def test_the_page_of_the_command_line_is_what_the_commands_say() -> None:
    assert page.PAGE.read_text() == page.page(), "write it anew: python -m bot.cli.page"


# OP-7
def test_the_published_schema_is_that_of_the_code() -> None:
    from bot.repo_config import json_schema

    reported = json.loads((ROOT / "docs" / "heal.schema.json").read_text())
    assert reported == json_schema(), "write it anew: python -m bot.repo_config.page"


def test_every_relative_link_of_the_documents_leads_somewhere() -> None:
    for place in PAGES:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", place.read_text()):
            assert (place.parent / target).exists(), f"{place.name} links to {target}"


def test_every_page_has_its_place_in_the_book() -> None:
    named = set(re.findall(r":\s([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M))
    assert named == {place.name for place in (ROOT / "docs").glob("*.md")}


# UX-2
def test_make_test_runs_everything_but_the_slow_suites_and_says_what_it_skips() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["addopts"]
    recipe = (ROOT / "Makefile").read_text().split("\ntest: venv")[1].splitlines()[1]
    assert "-m 'not slow'" in options
    assert "-rs" in recipe


# UX-2
@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_whoever_wants_to_contribute_is_told_to_run_make_test(name: str) -> None:
    assert "`make test`" in (ROOT / name).read_text()


def listed_commands() -> Iterator[tuple[str, str]]:
    """(page, line) of everything that a document's code tells a person to type."""
    for place in PAGES:
        text = place.read_text()
        blocks = re.findall(r"^```(?:console|sh|bash)?\n(.*?)^```", text, re.M | re.S)
        lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
        inline = re.findall(r"(?<!`)`((?:heal|make) [^`\n]+)`", text)
        for line in (*lines, *inline):
            if re.match(r"(?:[A-Z_]+=\S+ )*(?:heal|make) [a-z]", line):
                yield place.name, line.partition(" #")[0].strip()


@pytest.mark.parametrize(("place", "line"), sorted(set(listed_commands())), ids=str)
def test_every_command_in_the_documents_can_be_called_like_that(place: str, line: str) -> None:
    for part in re.split(r"\s*(?:&&|\||;)\s*", line):
        words = [w for w in shlex.split(part.replace("…", "x")) if not re.fullmatch(r"[A-Z_]+=.*", w)]
        words = words[: words.index(next((w for w in words if w[0] in "<>"), ""))] if set(part) & set("<>") else words
        if words[:1] == ["make"]:
            target = next((w for w in words[1:] if w[0] != "-"), "")
            assert re.search(rf"^{re.escape(target)}:", (ROOT / "Makefile").read_text(), re.M), target
        elif words[:1] == ["heal"] and words[1:] and re.fullmatch(r"[a-z]+", words[1]):
            assert_callable(words[1:])


def assert_callable(words: list[str]) -> None:
    """The command is there, and has these options. In prose its arguments may be left out."""
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands") and words and words[0] in command.commands:
        command, words = command.commands[words[0]], words[1:]
    if hasattr(command, "commands"):
        assert not words, f"heal has no command {words[0]}"
    known = {option for parameter in command.params for option in getattr(parameter, "opts", ())}
    given = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)} - {"--help", "-h"}
    assert given <= known, given - known
