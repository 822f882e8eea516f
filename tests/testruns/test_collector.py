"""What reaches Heal's socket and pipe is believed only from a runner: signed, in order, from a process of its own."""

import asyncio
import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from healing.testruns.collector import Forged, collecting, signed
from healing.testruns.hooks import text_for
from healing.testruns.report import RunReport

ROOTS = frozenset({"/work"})
BEGIN: dict[str, object] = {"k": "begin", "runner": "pytest", "cwd": "/work/sub"}
PASSED: dict[str, object] = {"k": "test", "id": "/work/t.py t.py::a", "o": "passed"}
END: dict[str, object] = {"k": "end", "altered": []}
SPEAK = """
import hashlib, json, os, socket, subprocess, sys
path, lines, below = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
line = socket.socket(socket.AF_UNIX)
line.connect(path)
key = line.recv(64).decode().strip()
for number, told in enumerate(lines):
    text = json.dumps(told).encode()
    line.sendall(hashlib.sha256(f"{key}{number}".encode() + text).hexdigest()[:16].encode() + b" " + text + b"\\n")
if below:
    subprocess.run([sys.executable, "-c", below[0], path, below[1]], check=True)
"""


def line(key: str, number: int, reported: dict[str, object]) -> bytes:
    text = json.dumps(reported).encode()
    return hashlib.sha256(f"{key}{number}".encode() + text).hexdigest()[:16].encode() + b" " + text + b"\n"


def collected(folder: Path, *args: str) -> RunReport | None:
    """What is reported by a process that speaks to the socket."""

    async def run() -> RunReport | None:
        (folder / "report").unlink(missing_ok=True)
        async with collecting(folder / "report", ROOTS, by_socket=True) as collector:
            process = await asyncio.create_subprocess_exec(sys.executable, "-c", SPEAK, str(folder / "report"), *args)
            assert await process.wait() == 0
            await collector.close()
            return collector.report()

    return asyncio.run(run())


# JD-3
def test_a_runner_s_report_is_whole_only_with_its_end(tmp_path: Path) -> None:
    whole = collected(tmp_path, json.dumps([BEGIN, PASSED, END]))
    assert whole is not None
    assert (whole.tests_passed, whole.early, whole.forged) == (1, False, False)
    cut = collected(tmp_path, json.dumps([BEGIN, PASSED]))
    assert cut is not None
    assert cut.early


# JD-3
def test_what_a_process_below_a_runner_reports_counts_for_nothing(tmp_path: Path) -> None:
    other = {**PASSED, "id": "/work/t.py t.py::b"}
    both = collected(tmp_path, json.dumps([BEGIN, PASSED, END]), SPEAK, json.dumps([BEGIN, other, END]))
    assert both == collected(tmp_path, json.dumps([BEGIN, PASSED, END]))


# JD-3
@pytest.mark.parametrize(
    "lines", [[PASSED], [BEGIN, END, PASSED], [BEGIN, {**PASSED, "o": "fine"}], [{"k": "odd"}], [[]], ["x"]]
)
def test_lines_that_no_runner_sends_are_forged(tmp_path: Path, lines: list[object]) -> None:
    found = collected(tmp_path, json.dumps(lines))
    assert found is not None
    assert found.forged


# JD-3
def test_a_line_with_another_key_or_place_is_forged() -> None:
    assert signed(line("k", 3, END), "k", 3) == END
    for key, number in (("k", 4), ("l", 3)):
        with pytest.raises(Forged):
            signed(line("k", 3, END), key, number)


# JD-3
@pytest.mark.parametrize(
    ("written", "forged"),
    [
        (lambda pid: b"%d key k\n" % pid + b"%d " % pid + line("k", 0, BEGIN), False),
        (lambda pid: b"%d key k\n" % pid + b"%d " % pid + line("l", 0, BEGIN), True),
        (lambda pid: (b"%d key k\n" % pid + b"%d " % pid + line("k", 0, BEGIN)) + b"%d key l\n" % pid, True),
        (lambda _: b"junk\n", True),
        (lambda pid: b"%d " % pid + line("k", 0, END), True),
    ],
)
def test_a_pipe_takes_one_key_from_a_process_and_what_it_signs(tmp_path: Path, written, forged: bool) -> None:  # type: ignore[no-untyped-def]
    async def run() -> bool:
        async with collecting(tmp_path / "report", ROOTS, by_socket=False) as collector:
            pipe = os.open(tmp_path / "report", os.O_WRONLY)
            os.write(pipe, written(os.getpid()))
            os.close(pipe)
            await collector.close()
            return collector.forged

    assert asyncio.run(run()) is forged


# JD-3
def test_only_the_languages_of_a_tree_get_variables_and_an_own_reporter_of_node_s_is_left_alone() -> None:
    folder = Path("/tmp/x")
    assert text_for(folder, ["README.md"], "") == ""
    assert "PYTHONPATH" in text_for(folder, ["a.py"], "")
    assert "--test-reporter=" in text_for(folder, ["package.json"], "node --test")
    assert "--test-reporter=" not in text_for(folder, ["package.json"], "node --test --test-reporter=tap")
    assert text_for(Path("/tmp/a b"), ["a.py"], "") == ""
