"""`heal extract`: a log in, one error a line out, and three answers that are never mixed up."""

import fcntl
import json
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Heal

KEYS = [
    *("id", "tool", "code", "category", "severity", "file", "line", "column", "end_line", "end_column", "message"),
    *("related", "test", "expected", "actual", "suggestion", "excerpt", "score", "source", "log_line"),
]
LOG = (
    b"shop/till.py:3:8: F821 Undefined name `drawer_of`\n"
    b"shop/a.py:1:1: F401 `json` imported but unused\nFound 2 errors.\n"
)


# CLI-2, EX-1, EX-4
def test_every_line_is_one_error_with_exactly_the_documented_keys(heal: Heal, room: Path) -> None:
    (room / "lint.log").write_bytes(LOG)
    result = heal("extract", "lint.log", "--json", cwd=room)
    errors = [json.loads(line) for line in result.out.splitlines()]
    assert [list(error) for error in errors] == [KEYS, KEYS]
    assert [(e["tool"], e["file"], e["line"], e["code"]) for e in errors] == [
        ("ruff", "shop/till.py", 3, "F821"),
        ("ruff", "shop/a.py", 1, "F401"),
    ]
    assert (result.code, result.err) == (1, "")


# CLI-1, EX-9
@pytest.mark.parametrize(
    ("log", "code", "reason"),
    [
        (b"all is well\n", 0, ""),
        (b"", 3, "empty"),
        (b"\x1f\x8b" + bytes(100), 3, "gzip"),
        (b"\0\1\2" * 50, 3, "control"),
    ],
)
def test_no_errors_and_could_not_look_are_different_answers(
    heal: Heal, room: Path, log: bytes, code: int, reason: str
) -> None:
    result = heal("extract", "--json", cwd=room, stdin=log)
    assert (result.code, result.out) == (code, "")
    if code:
        answer = json.loads(result.err)
        assert answer["exit_code"] == 3
        assert reason in answer["error"]


def test_a_file_that_is_not_there_is_a_mistake_of_the_call(heal: Heal, room: Path) -> None:
    result = heal("extract", "nowhere.log", cwd=room)
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "heal: nowhere.log can't be read: No such file or directory. Name a log file, or - for standard input.\n"
    )


def test_a_pipe_that_is_closed_early_is_no_error_and_the_answer_stays(heal: Heal, room: Path) -> None:
    log = b"".join(b"shop/a%d.py:1:1: F401 `json` imported but unused\n" % n for n in range(3000))
    (room / "long.log").write_bytes(log)
    process = heal.start("extract", "long.log", "--json", cwd=room)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"{")
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait(60) == 1
    process.stderr.close()


def test_what_a_log_says_can_not_command_the_terminal(heal: Heal, room: Path) -> None:
    result = heal("extract", cwd=room, stdin=b"shop/a.py:1:1: F401 bad \x9b2J\xc2\x9b2J \xe2\x80\xaename\n")
    assert result.code == 1
    assert not set(result.out) & {"\x1b", "\x9b", "\u202e"}


def unread(pipe: int) -> int:
    """Bytes that lie in a pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


# CLI-1
def test_ctrl_c_while_the_log_is_awaited_ends_with_130(heal: Heal, room: Path) -> None:
    process = heal.start("extract", "--json", cwd=room, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(LOG)
    process.stdin.flush()
    while unread(process.stdin.fileno()):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert json.loads(err)["exit_code"] == 130


# CLI-2
def test_several_logs_say_which_error_is_whose_and_the_most_certain_comes_first(heal: Heal, room: Path) -> None:
    (room / "one.log").write_text("b.c:3: warning: unused variable x\na.py:1:1: F401 `os` imported but unused\n")
    (room / "two.log").write_text("c.py:2:1: F401 `re` imported but unused\n")
    result = heal("extract", "one.log", "two.log", "--json", cwd=room)
    reported = [json.loads(line) for line in result.out.splitlines()]
    assert [(e["source"], e["file"]) for e in reported] == [
        ("one.log", "a.py"),
        ("one.log", "b.c"),
        ("two.log", "c.py"),
    ]
    assert result.code == 1


# CLI-2 EX-9
def test_one_log_of_several_that_can_not_be_read_is_named_and_the_others_are_still_reported(
    heal: Heal, room: Path
) -> None:
    (room / "one.log").write_text("a.py:1:1: F401 `os` imported but unused\n")
    (room / "two.log").write_bytes(b"PK\x03\x04" + bytes(40))
    result = heal("extract", "one.log", "two.log", "--json", cwd=room)
    assert [json.loads(line)["file"] for line in result.out.splitlines()] == ["a.py"]
    assert result.code == 3
    assert "two.log: binary" in result.err


# EX-11 CLI-2
def test_what_gh_prints_of_a_failed_run_is_read_from_the_pipe_as_the_help_promises(heal: Heal, room: Path) -> None:
    lines = ["##[group]Run ruff check .", "\x1b[36;1mruff check .\x1b[0m", "##[endgroup]", *LOG.decode().splitlines()]
    lines += ["##[error]Process completed with exit code 1."]
    log = "".join(f"lint\tUNKNOWN STEP\t2026-01-05T10:00:0{n}.1234567Z {line}\n" for n, line in enumerate(lines))
    result = heal("extract", "-", "--json", cwd=room, stdin=log.encode())
    reported = [json.loads(line) for line in result.out.splitlines()]
    assert [(e["tool"], e["file"], e["line"], e["log_line"]) for e in reported] == [
        ("ruff", "shop/till.py", 3, 4),
        ("ruff", "shop/a.py", 1, 5),
    ]


# EX-9 CLI-2
def test_how_the_command_ended_decides_what_its_words_leave_open(heal: Heal, room: Path) -> None:
    """A linter behind `|| true` prints its errors, and a script that went on says so."""
    (room / "lint.log").write_text("a.py:1:1: F401 `os` imported but unused\n")
    (room / "loud.log").write_text("fatal: no upstream found\nuploaded\n")

    def seen(*options: str) -> list[tuple[str, str]]:
        found = heal("extract", "lint.log", "loud.log", *options, "--json", cwd=room).out.splitlines()
        return [(error["tool"], error["severity"]) for error in map(json.loads, found)]

    assert seen() == seen("--exit-code", "1") == [("ruff", "error"), ("log", "error")]
    assert seen("--exit-code", "0") == [("ruff", "warning")]
    assert heal("extract", "lint.log", "--exit-code", "256", cwd=room).code == 2
