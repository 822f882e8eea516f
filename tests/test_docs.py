"""The documents say what the code does: the README's table of commands is the registry's."""

from pathlib import Path

from handlers.slash import BY_WORD

ROOT = Path(__file__).parent.parent


# SC-1
def test_the_readme_lists_every_command_as_the_registry_has_it() -> None:
    text = (ROOT / "README.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| `/heal")]
    expected = [
        f"| `{one.SYNTAX.replace('|', chr(92) + '|')}` | {one.PERMISSION} | {one.HELP} |" for one in BY_WORD.values()
    ]
    assert rows == expected


def test_every_relative_link_of_the_documents_leads_somewhere() -> None:
    import re

    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


# UX-2
def test_the_second_command_runs_everything_but_the_slow_suites_and_says_what_it_skips() -> None:
    import tomllib

    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["addopts"]
    recipe = (ROOT / "Makefile").read_text().split("\ntest: venv")[1].splitlines()[1]
    assert "-m 'not slow'" in options
    assert "-rs" in recipe
