"""Which tests fail by chance, from the outcomes that a repository's runs recorded.

A red run counts as chance only where the same test was also green on the same commit: the code was the same, so it was
not the code. A test that is only ever red on a commit is broken there, and says nothing about chance.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

_Z = 1.959964  # 95 % of a normal distribution lie within


class RecordedOutcome(NamedTuple):
    """One run of one test on one commit."""

    test: str
    sha: str
    passed: bool


@dataclass(frozen=True, slots=True)
class FlakyTest:
    """How many of a test's failures are chance: of the `red` commits on which it failed, it also passed on `lucky`.

    `low` and `high` bound the share with 95 % confidence (Wilson's interval).
    """

    test: str
    red: int
    lucky: int
    low: float
    high: float


def flaky_tests(history: Iterable[RecordedOutcome]) -> tuple[FlakyTest, ...]:
    """For each test that failed by chance at least once, in the order of their names. It needs no full history of green
    runs: anyone who sees only failures can tell which of them were chance, not how often a test fails."""
    seen = set(history)
    red = Counter(test for test, _, passed in seen if not passed)
    lucky = Counter(one.test for one in seen if not one.passed and one._replace(passed=True) in seen)
    return tuple(FlakyTest(test, red[test], count, *wilson(count, red[test])) for test, count in sorted(lucky.items()))


def wilson(hits: int, runs: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share of `hits` in `runs` (Wilson 1927); 0..1 where nothing was run."""
    if not runs:
        return 0.0, 1.0
    share, square = hits / runs, _Z * _Z
    middle = (share + square / (2 * runs)) / (1 + square / runs)
    half = _Z / (1 + square / runs) * sqrt(share * (1 - share) / runs + square / (4 * runs * runs))
    return max(0.0, middle - half), min(1.0, middle + half)
