"""The variants of a failing test as files, with the check that runs them all at once."""

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
    """The variants of one test file, the first unchanged, with the check that runs them all. `files_on` returns the
    files to add to a tree; `failing` and `passing` are tests by their names in that file."""

    check: Check
    files_on: Callable[[TreeView], dict[str, bytes]]
    variants: tuple[Variant, ...]
    failing: frozenset[str]
    place: Callable[[CIError], Place]
    passing: frozenset[str] = frozenset()
    raised: dict[str, str] | None = None  # the exception that ended each failing test; empty: a value was wrong
    reported: Callable[[CIError], str] = lambda error: error.message  # the results that a failure reports
    to_the_end: str | None = ""  # suffix of tests that continue after a failed assertion; None: there are none
    prints_all: bool = False  # every variant prints its results, pass or fail, and no runner reports which tests ran
    # For variants that are compiled together: `without` returns the run without those of these descriptions;
    # `in_the_way` returns the descriptions of those that the compiler's errors name.
    without: Callable[[frozenset[str]], "VariantRun | None"] | None = None
    in_the_way: Callable[[dict[str, bytes], CheckResult | None], frozenset[str]] = lambda _files, _result: frozenset()

    def failures(self, result: CheckResult) -> dict[Place, CIError]:
        """The failed tests, by variant and name with parameters."""
        failed = dict[Place, CIError]()
        for error in result.errors:
            place = self.place(error)
            earlier = (
                f"{failed[place].message}\n" if place in failed else ""
            )  # a test may go on after its first failure
            failed[place] = error.model_copy(update={"message": earlier + self.reported(error)})
        return failed


def raised_by(error: CIError) -> str:
    """The exception that ended a test; empty if a value was wrong."""
    match = RAISED.match(error.message)
    return match.group(1) if match and match.group(1) not in WRONG_VALUE else ""


def with_variant_command(check: Check, run: str, tool: str, seconds: float = SECONDS) -> Check:
    """The check with the command that runs variants, limited to `seconds`."""
    step = check.step.model_copy(update={"run": run, "name": f"{tool} (other values)"})
    return check.model_copy(update={"step": step, "seconds": seconds})
