"""Finds flaky tests from the recorded outcomes of a repository's runs.

A failure counts as flaky only if the same test also passed on the same commit, where the code was the same. A test that
only ever failed on a commit is broken there, which is no evidence of flakiness.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

_Z = 1.959964  # 95 % of a normal distribution are within this many standard deviations


class RecordedOutcome(NamedTuple):
    """One run of one test on one commit."""

    test: str
    sha: str
    passed: bool


@dataclass(frozen=True, slots=True)
class FlakyTest:
    """How many of a test's failures are flaky: of the `red` commits on which it failed, it also passed on `lucky`.

    `low` and `high` are the bounds of that share with 95 % confidence (Wilson's interval).
    """

    test: str
    red: int
    lucky: int
    low: float
    high: float


def flaky_tests(history: Iterable[RecordedOutcome]) -> tuple[FlakyTest, ...]:
    """The tests with at least one flaky failure, sorted by name. No full history of green runs is needed, because the
    share is one of a test's failures, not of its runs."""
    seen = set(history)
    red = Counter(test for test, _, passed in seen if not passed)
    lucky = Counter(o.test for o in seen if not o.passed and o._replace(passed=True) in seen)
    return tuple(FlakyTest(test, red[test], count, *wilson(count, red[test])) for test, count in sorted(lucky.items()))


def wilson(hits: int, runs: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share of `hits` in `runs` (Wilson 1927); 0..1 where nothing was run."""
    if not runs:
        return 0.0, 1.0
    share, square = hits / runs, _Z * _Z
    middle = (share + square / (2 * runs)) / (1 + square / runs)
    half = _Z / (1 + square / runs) * sqrt(share * (1 - share) / runs + square / (4 * runs * runs))
    return max(0.0, middle - half), min(1.0, middle + half)
