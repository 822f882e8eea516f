"""A test seen failing once runs again, alone and then with all others, before it counts as the code's fault."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from healing.checks.check import Check, CheckResult, command_check
from healing.checks.rules import CheckRules
from healing.model import Category, CIError
from healing.pipeline.resolving import _coming_back
from healing.pipeline.second_look import AGAIN, QUICK, passing_again
from healing.view import DictView

FIRST = CIError(id="E1", tool="pytest", category=Category.TEST, message="assert 1 == 2", test="tests/a.py::test_a")
SECOND = CIError(id="E2", tool="pytest", category=Category.TEST, message="assert 3 == 4", test="tests/b.py::test_b")
LINT = CIError(id="E3", tool="ruff", category=Category.LINT, message="unused", file="a.py", line=1)
ALONE, NOTHING = "1 failed in 0.01s", "no tests ran in 0.01s"


def result(*errors: CIError, exit_code: int | None = None, seconds: float = 1.0) -> CheckResult:
    ended = exit_code if exit_code is not None else int(bool(errors))
    return CheckResult(check_key="k", tree="t", exit_code=ended, errors=errors, whole_seconds=seconds)


@dataclass
class Scripted:
    """What each run says, in order: the same test can't be made to fail by chance on demand."""

    says: list[CheckResult]
    ran: list[str] = field(default_factory=list)
    rules: CheckRules = field(default_factory=CheckRules)
    git: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(view=lambda tree: DictView({})))

    async def run(self, check: Check, tree: str, sample: int = 0) -> CheckResult:
        self.ran.append(f"{check.step.run} #{sample}")
        return self.says[len(self.ran) - 1]


async def flaky(command: str, first: CheckResult, *again: CheckResult) -> tuple[list[str], list[str]]:
    """The ids of what passes again, and what ran for it."""
    checker = Scripted(list(again))
    found = await passing_again(command_check(command), first, list(first.errors), checker)  # type: ignore[arg-type]
    return [error.id for error in found], checker.ran


# CK-4
@pytest.mark.parametrize(
    ("alone", "whole", "found"),
    [
        (result(FIRST, SECOND), None, []),
        (result(FIRST), result(FIRST), ["E2"]),
        (result(), result(), ["E1", "E2"]),
        (result(), result(FIRST, SECOND), []),
        (result(exit_code=4), None, []),
    ],
    ids=["fail again", "one fails by chance", "both do", "only after other tests", "can't be run alone"],
)
async def test_only_what_passes_alone_and_with_all_others_is_flaky(
    alone: CheckResult, whole: CheckResult | None, found: list[str]
) -> None:
    again = [alone] if whole is None else [alone, whole]
    ids, ran = await flaky("pytest -q", result(FIRST, SECOND), *again)
    assert ids == found
    assert ran == ["pytest -q tests/a.py::test_a tests/b.py::test_b #0", "pytest -q #1"][: len(again)]


# CK-4
@pytest.mark.parametrize(("seconds", "found"), [(QUICK, ["E1"]), (QUICK + 1, [])])
async def test_a_command_whose_tests_cannot_be_run_alone_runs_again_only_where_it_is_quick(
    seconds: float, found: list[str]
) -> None:
    ids, ran = await flaky("make test", result(FIRST, seconds=seconds), result())
    assert (ids, ran) == (found, ["make test #1"] * len(found))


async def test_what_is_no_test_is_never_run_again() -> None:
    assert await flaky("ruff check .", result(LINT)) == ([], [])


# CK-4
@pytest.mark.parametrize(
    ("fixes", "again", "found"),
    [(1, result(FIRST), {"E1"}), (1, result(), set()), (0, result(), {"E1", "E2"})],
    ids=["one fails again", "all stay gone", "nothing was changed"],
)
async def test_a_test_that_no_fix_claims_is_fixed_only_where_it_stays_gone(
    fixes: int, again: CheckResult, found: set[str]
) -> None:
    async def results(tree: str, sample: int) -> dict[str, CheckResult]:
        assert (tree, sample) == ("integration", AGAIN)
        return {"k": again}

    verifier = SimpleNamespace(accepted=[object()] * fixes, integration="integration", results=results)
    assert await _coming_back(verifier, [FIRST, SECOND]) == found  # type: ignore[arg-type]
