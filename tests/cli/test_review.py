"""`heal review`: on a pipe and on a real terminal, with a real editor program; what it writes can be taken back."""

import asyncio
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.laptop.local import NUMBER, local_repo
from bot.settings import Settings
from handlers.model import StoredProposal
from healing.edits.exact import edits_between, widen
from healing.model import Evidence, Proposal
from tests.cli.conftest import Heal, make_clone

FILES = {"one.py": "a = 1\nb = 2\n", "two.py": "c = 3\n", "three.py": "d = 4\n"}
FIXED = {"one.py": "a = 10\nb = 2\n", "two.py": "c = 30\n", "three.py": "d = 40\n"}


@pytest.fixture
def clone(heal: Heal, room: Path) -> Path:
    """A clone with one proposal for each file."""
    made = make_clone(room / f"review-{len(list(room.iterdir()))}", FILES, {})
    asyncio.run(offer(heal, made))
    return made


async def offer(heal: Heal, clone: Path) -> None:
    async with local_repo(clone, Settings(data=heal.data)) as repo:
        code = await repo.code()
        stored = []
        for number, (file, new) in enumerate(FIXED.items()):
            edits = edits_between(file, FILES[file].encode(), new.encode())
            both = widen(edits, lambda name: FILES[name].encode())
            exits = {"before_exit": 1, "after_exit": 0, "before_output": "", "after_output": "", "note": ""}
            evidence = Evidence.model_validate({"command": "pytest -q", "before_tree": "t", "after_tree": "u", **exits})
            proposal = Proposal(
                id=f"{number}a{number}b{number}c000000", error_ids=("E1",), source="fixer:demo", phase="free",
                title=f"Mend {file}", explanation="It was too small.", confidence=90, base_tree=code.tree,
                edits=edits, wide=both.wide, reverse=both.reverse, evidence=(evidence,),
            )  # fmt: skip
            stored.append(StoredProposal(proposal=proposal, run_id="r", attempt=1, number=NUMBER, status="pending"))
        await repo.store.save_proposals(tuple(stored))


def files(clone: Path) -> dict[str, str]:
    return {name: (clone / name).read_text() for name in FILES}


# CLI-1
def test_answers_can_come_through_a_pipe(heal: Heal, clone: Path) -> None:
    result = heal("review", cwd=clone, stdin=b"?\na\nr we like it small\ns\n")
    assert result.code == 0, result.err
    assert "1 of 3" in result.out
    assert "-a = 1\n+a = 10" in result.out
    assert "$ pytest -q  fails without the fix, passes with it" in result.out
    assert "1 applied, 1 rejected, 1 left for later" in result.out
    assert "\x1b" not in result.out, "a pipe gets no colours"
    assert files(clone) == FILES | {"one.py": FIXED["one.py"]}
    listed = heal("list", cwd=clone).out
    assert [line.split()[1] for line in listed.splitlines()] == ["applied", "rejected", "open"]
    assert "rejected: we like it small" in heal("show", "1a1", cwd=clone).out
    assert heal("rollback", "0a0", cwd=clone).code == 0
    assert files(clone) == FILES


# CLI-1
def test_the_end_of_the_input_stops_and_nothing_more_is_decided(heal: Heal, clone: Path) -> None:
    result = heal("review", cwd=clone, stdin=b"a\n")
    assert result.code == 0
    assert "1 applied, 0 rejected, 2 left for later" in result.out
    assert files(clone) == FILES | {"one.py": FIXED["one.py"]}


# SC-6
def test_what_a_person_made_of_it_in_an_editor_is_applied_and_can_be_taken_back(heal: Heal, clone: Path) -> None:
    editor = clone.parent / "editor"
    editor.write_text(
        f"#!{sys.executable}\nimport sys, pathlib\nfor name in sys.argv[2:]:\n"
        "    file = pathlib.Path(name)\n    file.write_text(file.read_text().replace('10', '7'))\n"
    )
    editor.chmod(0o755)
    result = heal("review", cwd=clone, stdin=b"e\ne\na\nq\n", EDITOR=f"{editor} --wait")
    assert result.code == 0, result.err
    assert "what was tested is not what was applied" in result.out
    assert "you changed nothing in it" in result.out, "of the second one"
    assert files(clone) == FILES | {"one.py": "a = 7\nb = 2\n", "two.py": FIXED["two.py"]}
    assert "+a = 7" in heal("show", "0a0", cwd=clone).out
    assert heal("rollback", "all", cwd=clone).code == 0
    assert files(clone) == FILES


# UX-3
@pytest.mark.parametrize(
    ("editor", "reported"), [("", "set EDITOR"), ("no-such-editor", "can't be started"), ("false", "exit code 1")]
)
def test_an_editor_that_does_not_work_changes_nothing(heal: Heal, clone: Path, editor: str, reported: str) -> None:
    result = heal("review", cwd=clone, stdin=b"e\nq\n", EDITOR=editor)
    assert reported in result.out
    assert "0 applied, 0 rejected, 3 left" in result.out
    assert files(clone) == FILES


def test_one_that_no_longer_fits_is_refused_with_what_changed_and_exit_code_1(heal: Heal, clone: Path) -> None:
    (clone / "two.py").write_text("c = 'mine'\n")
    result = heal("review", cwd=clone, stdin=b"s\na\ns\n")
    assert result.code == 1
    assert "refused: the lines to change are no longer as they were in two.py. Nothing was changed" in result.out
    assert (clone / "two.py").read_text() == "c = 'mine'\n"


def test_where_nothing_is_pending_it_says_how_to_get_some(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "nothing-pending", FILES, {})
    result = heal("review", cwd=clone)
    assert (result.code, result.out) == (0, "no open fixes for this clone. Look for some: heal run\n")


# Makes its standard input the terminal that Ctrl-C is pressed on.
OWN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


class Terminal:
    """`heal review` on a terminal of its own."""

    def __init__(self, heal: Heal, clone: Path, **env: str) -> None:
        self.fd, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWN_TERMINAL, sys.executable, "-m", "bot", "review"],
            cwd=clone, env=heal.environment(**{"TERM": "xterm", **env}),
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.seen = ""

    def until(self, words: str, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while words not in self.seen:
            assert time.monotonic() < end, self.seen
            if select.select([self.fd], [], [], 0.2)[0]:
                self.seen += os.read(self.fd, 65536).decode()

    def says(self, words: str) -> None:
        self.seen = ""
        os.write(self.fd, words.encode())

    def code(self) -> int:
        try:
            return self.process.wait(20)
        finally:
            self.process.kill()
            os.close(self.fd)


# CLI-1
def test_on_a_terminal_diffs_are_in_colour_and_ctrl_c_ends_it_with_130(heal: Heal, clone: Path) -> None:
    terminal = Terminal(heal, clone)
    terminal.until("[q]uit")
    assert "\x1b[31m-a = 1\x1b[0m" in terminal.seen
    assert "\x1b[32m+a = 10\x1b[0m" in terminal.seen
    terminal.says("a\n")
    terminal.until("2 of 3")
    terminal.until("[q]uit")
    terminal.says("\x03")
    terminal.until("interrupted")
    assert "Traceback" not in terminal.seen
    assert terminal.code() == 130
    assert files(clone) == FILES | {"one.py": FIXED["one.py"]}, "what was decided before stays"


# CLI-1
@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_a_terminal_without_colours_gets_none(heal: Heal, clone: Path, env: dict[str, str]) -> None:
    terminal = Terminal(heal, clone, **env)
    terminal.until("[q]uit")
    assert "\x1b[" not in terminal.seen
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.code() == 130
