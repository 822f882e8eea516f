"""The variants of a failing test as files, with the check that runs them all in one start."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from healing.checks.check import Check, CheckResult
from healing.model import CIError
from healing.verify.variants.changing import Variant
from healing.view import TreeView

SECONDS = 20.0  # for one run of all variants of a file: a busy machine starts slowly
RAISED = re.compile(r"^(?:E {1,6})?([A-Za-z_][\w.]{0,80})(?::|\Z)")
WRONG_VALUE = frozenset({"AssertionError", "Failed"})
Place = tuple[int, str]  # the number of a variant, and a test of it


@dataclass(frozen=True)
class VariantRun:
    """The variants of one test file, the first unchanged, with the check that runs them all. `files_on` gives the files
    that a tree needs for that; `failing` and `passing` are tests by their names there."""

    check: Check
    files_on: Callable[[TreeView], dict[str, bytes]]
    variants: tuple[Variant, ...]
    failing: frozenset[str]
    place: Callable[[CIError], Place]
    passing: frozenset[str] = frozenset()
    raised: dict[str, str] | None = None  # the exception that each failing test ended with; empty: a value was wrong
    reported: Callable[[CIError], str] = lambda error: error.message  # what a failure reports of the results
    to_the_end: str | None = ""  # what names end with that go on after a failed assertion; None: there are none
    prints_all: bool = False  # each variant prints its results, right or wrong, and no runner reports which tests ran
    # For variants that are compiled together: the run without those of these words, and which the compiler's errors in
    # the files name.
    without: Callable[[frozenset[str]], "VariantRun | None"] | None = None
    in_the_way: Callable[[dict[str, bytes], CheckResult | None], frozenset[str]] = lambda _files, _result: frozenset()

    def failures(self, result: CheckResult) -> dict[Place, CIError]:
        """The tests that failed, with their parameters."""
        found = dict[Place, CIError]()
        for error in result.errors:
            place = self.place(error)
            before = f"{found[place].message}\n" if place in found else ""  # a test may go on after its first failure
            found[place] = error.model_copy(update={"message": before + self.reported(error)})
        return found


def raised_by(error: CIError) -> str:
    """The exception by which a test ended; empty where a value was wrong."""
    found = RAISED.match(error.message)
    return found.group(1) if found and found.group(1) not in WRONG_VALUE else ""


def with_run(check: Check, run: str, tool: str, seconds: float = SECONDS) -> Check:
    """The check with the command that runs variants."""
    step = check.step.model_copy(update={"run": run, "name": f"{tool} (other values)"})
    return check.model_copy(update={"step": step, "seconds": seconds})
