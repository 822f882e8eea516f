"""The guard's view of a file: marks that can be counted, and tests with what they assert."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class MarkKind(StrEnum):
    """What a mark is about; its detail names the construct, coarsely enough that reformatting doesn't change it."""

    SKIP = "skip"
    SILENCER = "silencer"
    SWALLOW = "swallow"  # a failure of any kind ends here
    QUIET = "quiet"  # a specific failure ends here silently
    EXIT = "exit"
    EQUALITY = "equality"
    DETECTION = "detection"
    PATCH = "patch"
    MOCK = "mock"
    HOOK = "hook"
    SLEEP = "sleep"
    REACH = "reach"


Mark = tuple[MarkKind, str]

# The strength of an assertion. Only the order counts, not the distances.
EXACT, NEAR, PARTIAL, TRUTHY, TRIVIAL = 4, 3, 2, 1, 0


@dataclass(frozen=True)
class Assertion:
    """One assertion: `sense` is how it compares, `literals` the constants in it (as source), `tolerance` the numbers
    that set its precision."""

    text: str
    sense: str
    strength: int
    literals: frozenset[str] = frozenset()
    tolerance: tuple[str, ...] = ()


@dataclass(frozen=True)
class MarkedTest:
    """One test: its text without formatting, its assertions in order, and its cases if it is parametrized."""

    name: str
    text: str
    assertions: tuple[Assertion, ...] = ()
    cases: tuple[str, ...] = ()


@dataclass
class FileMarks:
    """The marks and tests of one file. `tests` may hold a name twice: then its runner runs only the last one. `loose`
    are assertions outside tests (in their helpers); `bound` are the names that a test file imports, `defined` those
    that it defines itself. `comparable`: whether it was parsed, not only read by words."""

    marks: Counter[Mark] = field(default_factory=Counter)
    tests: list[MarkedTest] = field(default_factory=list)
    loose: tuple[Assertion, ...] = ()
    bound: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()
    comparable: bool = True

    def add(self, marks: Iterable[Mark]) -> None:
        """Adds marks to the counts."""
        self.marks.update(marks)
