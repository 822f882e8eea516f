"""What holds for every command: help with an example, exit codes, quick start, plain text where nobody looks."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from bot.cli import app, main
from bot.cli.helping import SECTIONS
from tests.cli.conftest import HERE, Heal

HEAVY = (
    "rich",
    "anthropic",
    "githubkit",
    "sqlalchemy",
    "dulwich",
    "pydantic",
    "uvicorn",
    "starlette",
    "alembic",
)


def commands(group: object = None, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    """Every command's words with its help."""
    group = group or typer.main.get_command(app)
    found: dict[tuple[str, ...], str] = {}
    for name, command in getattr(group, "commands").items():  # noqa: B009 -- Typer's own Click has no public types
        if hasattr(command, "commands"):
            found |= commands(command, (*path, name))
        else:
            found[(*path, name)] = str(command.help)
    return found


# CLI-1
def test_these_are_the_commands() -> None:
    assert {" ".join(words) for words in commands()} == {
        *(
            "demo",
            "doctor",
            "check",
            "explain",
            "extract",
            "plan",
            "agents",
            "run",
            "review",
            "list",
            "show",
            "apply",
            "reject",
            "rollback",
        ),
        *("unfixable", "flakes", "export", "replay", "clean", "config check", "config schema"),
        *("serve", "worker", "migrate", "stop", "go"),
        *(f"queue {word}" for word in ("serve", "status", "join", "done", "end", "sweep")),
    }


# CLI-1
def test_every_command_that_reads_speaks_json() -> None:
    acts = {"demo", "serve", "worker", "review", "queue serve", "config schema"}  # the last one is JSON
    group = typer.main.get_command(app)
    for words in commands():
        command: Any = group
        for word in words:
            command = command.commands[word]
        options = {option for parameter in command.params for option in parameter.opts}
        assert ("--json" in options) is (" ".join(words) not in acts), words


# CLI-1
def test_help_has_headings_for_all_commands_and_every_heading_names_commands_that_are_there() -> None:
    top = {words[0] for words in commands()}
    named = [name for names in SECTIONS.values() for name in names]
    assert sorted(named) == sorted(top)


# CLI-1
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(heal: Heal, room: Path, shell: str) -> None:
    # Typer takes a name only where it does not look for a shell among the callers, of which a test may have none.
    script = heal("--show-completion", shell, cwd=room, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "_HEAL_COMPLETE" in script.out, script.err
    env = {"_HEAL_COMPLETE": f"complete_{shell}", "COMP_WORDS": "heal rev", "COMP_CWORD": "1"}
    env |= {"_TYPER_COMPLETE_ARGS": "heal rev", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert "review" in heal(cwd=room, **env).out
    env |= {"COMP_WORDS": "heal check --mat", "COMP_CWORD": "2", "_TYPER_COMPLETE_ARGS": "heal check --mat"}
    assert "--matrix" in heal(cwd=room, **env).out


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_commands_help_says_what_it_does_and_gives_an_example(words: tuple[str, ...]) -> None:
    text = commands()[words]
    example = text.partition("Example: ")[2]
    assert f"heal {' '.join(words)}" in example
    assert len(text.partition("\n")[0]) > 20


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from bot.cli import main; main(['--help'])\n"
        "import resource; used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print('CPU', used.ru_utime + used.ru_stime)\n"
        f"print('HEAVY', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=HERE, capture_output=True, text=True, check=True)
    assert "HEAVY []" in done.stdout, done.stdout.splitlines()[-1]
    seconds = float(done.stdout.partition("CPU ")[2].split()[0])
    assert seconds < 0.5 or sys.gettrace(), f"heal --help takes {seconds} s of CPU"


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("heal 0.")


# CLI-1
@pytest.mark.parametrize(
    "words", [("nosuch",), ("check", "--nosuch"), ("show",), ("clean", "--days", "-1")], ids=" ".join
)
def test_a_wrong_call_ends_with_2_and_json_where_json_was_asked_for(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert main([*words, "--json"]) == 2
    result = capsys.readouterr()
    assert result.out == ""
    assert json.loads(result.err)["exit_code"] == 2


# UX-3
def test_outside_of_a_clone_the_way_out_is_reported(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(room)]) == 2
    result = capsys.readouterr()
    assert result.out == ""
    assert result.err == f"heal: {room} is not inside a git repository. Run heal inside a clone, or give its path\n"
    assert main(["check", str(room / "nowhere")]) == 2
    no_folder = (
        f"heal: {room}/nowhere is not a folder. Run heal inside a clone, or give its path; a command follows --run\n"
    )
    assert capsys.readouterr().err == no_folder


def test_serve_names_every_missing_setting_in_one_error(heal: Heal, room: Path) -> None:
    result = heal("serve", cwd=room, HEAL_APP_ID="1", HEAL_PORT="0")
    assert (result.code, result.out) == (2, "")
    for name in ("HEAL_PRIVATE_KEY", "HEAL_WEBHOOK_SECRET"):
        assert result.err.count(f"  - {name} ") == 1
    result = heal("serve", cwd=room, HEAL_PORT="eighty", HEAL_KEEP_DAYS="1")
    assert result.code == 2
    for name in ("HEAL_PORT", "HEAL_KEEP_DAYS"):
        assert result.err.count(f"  - {name} ") == 1


def test_migrate_says_where_and_clean_says_what(heal: Heal, room: Path) -> None:
    result = heal("migrate", cwd=room)
    assert (result.code, result.out) == (0, f"the schema of {heal.data}/heal.db is the newest\n")
    left = heal.data / "trees" / "1-dead"
    left.mkdir(parents=True)
    assert heal("clean", cwd=room).out == "removed 1-dead\n"
    assert not left.exists()


def test_a_database_that_is_none_is_told_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}")
    assert main(["migrate"]) == 2
    assert capsys.readouterr().err.startswith(f"heal: the database {tmp_path} can't be migrated: ")


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_an_app_whose_database_is_not_there_ends_with_what_to_look_at(heal: Heal, room: Path, command: str) -> None:
    result = heal(command, cwd=room, DATABASE_URL="postgresql://heal@127.0.0.1:1/heal")
    assert result.code == 2, result
    assert result.err.startswith("heal: the database 127.0.0.1:1/heal can't be opened: "), result
    assert "Look at DATABASE_URL" in result.err, result


def test_doctor_names_what_is_needed_and_what_is_not(heal: Heal, room: Path) -> None:
    result = heal("doctor", "--json", cwd=room)
    reported = {one["name"]: one for one in map(json.loads, result.out.splitlines())}
    assert {"data folder", "python", "git", "toolchain", "disk", "model key", "docker"} <= reported.keys()
    assert reported["data folder"]["detail"] == str(heal.data)
    assert "not needed" in reported["docker"]["detail"]
    assert result.code == (0 if all(one["ok"] for one in reported.values()) else 2)


def test_doctor_says_how_to_fix_a_data_folder_that_can_not_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a-file").write_text("")
    monkeypatch.setenv("HEAL_DATA", str(tmp_path / "a-file"))
    assert main(["doctor"]) == 2
    out = capsys.readouterr().out
    assert "NO  data folder: " in out
    assert "fix: name another data folder (HEAL_DATA)" in out


# CLI-1
@pytest.mark.parametrize(
    ("words", "log", "code"),
    [
        (("extract",), "all is well\n", 0),
        (("extract",), "a.py:1:1: F401 `os` imported but unused\n", 1),
        (("extract", "no-such-file"), "", 2),
        (("apply",), "", 2),
        (("extract",), "\0\1\2" * 5000, 3),
    ],
    ids=["0", "1", "2, no such file", "2, a wrong call", "3"],
)
def test_each_exit_code_means_what_the_table_says(
    heal: Heal, room: Path, words: tuple[str, ...], log: str, code: int
) -> None:
    result = heal(*words, cwd=room, stdin=log.encode())
    assert result.code == code, result.out + result.err
    assert (result.err == "") is (code < 2), "what went wrong is on standard error"
    table = re.findall(r"^\| (\d+) \|", (HERE / "docs" / "cli.md").read_text(), re.M)
    assert [int(row) for row in table] == [*range(4), 129, 130, 143]


# CLI-1
def test_help_that_nobody_reads_to_its_end_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "bot", "--help"], stdout=writing, stderr=subprocess.PIPE, cwd=HERE, check=False
        )
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")
