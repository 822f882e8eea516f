"""The report of the test runners in one run of a check, as a value: every test by id, with its outcome.

Ids are stored as short hashes. An id whose variable part (what follows its first `[`: parameters, titles, subtests)
contains digits or braces has a second hash, of its stable form: object addresses, random numbers and the order of a set
differ from run to run, but the test is the same.
"""

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

from healing.model import Frozen

MAX_IDS = 50_000  # more are not stored: such a run is counted by its output
HASH = 8  # characters of one hash
FILE = "~"  # prefix of a test file's entry: whether it could be loaded is an outcome of its own

Outcome = Literal["passed", "failed", "skipped", "unrun"]
ADDRESS = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
HEXADECIMAL = re.compile(r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{8,}\b")
NUMBER = re.compile(r"[0-9]+")
WORD = re.compile(r"\w+")
VARIES = re.compile(r"[0-9{]")


class RunReport(Frozen):
    """The tests of all runners of one run, as entries (`entry`); an id that ran twice is there twice. `unrun` were
    collected and have no outcome. `early`: a runner ended before the end of its tests. `forged`: something other than
    the runner wrote to the report. `altered` are functions of the runner that the repository's code replaced."""

    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    unrun: tuple[str, ...] = ()
    early: bool = False
    forged: bool = False
    altered: tuple[str, ...] = ()

    @cached_property
    def tests_passed(self) -> int:
        """How many tests passed."""
        return sum(not test.startswith(FILE) for test in self.passed)

    @property
    def every(self) -> tuple[str, ...]:
        """All entries, with any outcome."""
        return (*self.passed, *self.failed, *self.skipped, *self.unrun)


def entry(test: str, file: bool = False) -> str:
    """The stored form of an id: its hash, and that of its stable form if it may differ from run to run."""
    fixed, bracket, variable = test.partition("[")
    exact = hashed(test)
    form = hashed(f"{fixed}[{stable_form(variable)}") if bracket and VARIES.search(variable) else ""
    return f"{FILE if file else ''}{exact}{form}"


def stable_form(text: str) -> str:
    """The text without what differs from run to run: addresses, numbers, the order of words."""
    text = NUMBER.sub("0", HEXADECIMAL.sub("0", ADDRESS.sub("0", text)))
    return " ".join(sorted(WORD.findall(text)))


def exact_of(entries: Iterable[str]) -> list[str]:
    """The hashes of the exact ids."""
    return [item[: HASH + item.startswith(FILE)] for item in entries]


def form_of(one: str) -> str:
    """The hash of an entry's stable form, or of the exact id if it has none."""
    return one.removeprefix(FILE)[HASH:] or one


def hashed(text: str) -> str:
    """A short hash."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return base64.urlsafe_b64encode(digest[: HASH * 6 // 8]).decode()
