"""What the guard sees in a file: marks that can be counted, and tests with what they assert."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class MarkKind(StrEnum):
    """What a mark is about; its detail says which of them, coarse enough that a reformatted one is the same."""

    SKIP = "skip"
    SILENCER = "silencer"
    SWALLOW = "swallow"  # a failure of any kind ends here
    QUIET = "quiet"  # a certain failure ends here without a word
    EXIT = "exit"
    EQUALITY = "equality"
    DETECTION = "detection"
    PATCH = "patch"
    MOCK = "mock"
    HOOK = "hook"
    SLEEP = "sleep"
    REACH = "reach"


Mark = tuple[MarkKind, str]

# How much an assertion says. The distances leave no room for guesses: only the order counts.
EXACT, NEAR, PARTIAL, TRUTHY, TRIVIAL = 4, 3, 2, 1, 0


@dataclass(frozen=True)
class Assertion:
    """One assertion: `sense` is how it compares, `literals` the constants that stand in it (as source), `tolerance`
    the numbers that say how exact it is."""

    text: str
    sense: str
    strength: int
    literals: frozenset[str] = frozenset()
    tolerance: tuple[str, ...] = ()


@dataclass(frozen=True)
class MarkedTest:
    """One test: its text without formatting, its assertions in order, and its cases where a table feeds it."""

    name: str
    text: str
    assertions: tuple[Assertion, ...] = ()
    cases: tuple[str, ...] = ()


@dataclass
class FileMarks:
    """What stands in one file. `tests` may hold a name twice: then only the last one counts for its runner. `loose`
    are assertions outside of tests (in their aids); `bound` the names that a test file takes from elsewhere,
    `defined` those that it defines itself. `comparable`: whether it was parsed, not only read by words."""

    marks: Counter[Mark] = field(default_factory=Counter)
    tests: list[MarkedTest] = field(default_factory=list)
    loose: tuple[Assertion, ...] = ()
    bound: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()
    comparable: bool = True

    def add(self, marks: Iterable[Mark]) -> None:
        """Counts more marks."""
        self.marks.update(marks)
