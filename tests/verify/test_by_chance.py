"""A test that fails by chance beside a fix is run again before the fix is refused."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from healing.checks.check import CheckResult, command_check
from healing.model import Category, CIError
from healing.verify.judging import judge
from healing.verify.tree_evaluator import Narrowed, TreeEvaluator

TARGET = CIError(id="E1", tool="pytest", category=Category.TEST, message="assert 1 == 2", test="tests/a.py::test_a")
OTHER = CIError(id="E2", tool="pytest", category=Category.TEST, message="assert 3 == 4", test="tests/b.py::test_b")
LINT = CIError(id="E3", tool="ruff", category=Category.LINT, message="unused", file="a.py", line=1)


def result(*errors: CIError) -> dict[str, CheckResult]:
    return {"k": CheckResult(check_key="k", tree="t", exit_code=1 if errors else 0, errors=errors)}


@dataclass
class Scripted(TreeEvaluator):
    """What the checks say of a tree in each run is listed: the same test can't be made to fail by chance on demand."""

    says: dict[str, list[dict[str, CheckResult]]] = field(default_factory=dict)
    asked: list[tuple[str, int]] = field(default_factory=list)

    async def results(self, head_tree: str, sample: int = 0) -> dict[str, CheckResult]:
        self.asked.append((head_tree, sample))
        return self.says[head_tree][sample]


def evaluator(before: list[dict[str, CheckResult]], after: list[dict[str, CheckResult]]) -> Scripted:
    return Scripted(None, None, None, (), {}, says={"before": before, "after": after})  # type: ignore[arg-type]


async def by_chance(one: Scripted) -> bool:
    old, new = one.says["before"][0], one.says["after"][0]
    return await one._by_chance(judge(old, new, [TARGET]), "before", old, "after", [TARGET])


RED, GREEN, BOTH = result(TARGET), result(), result(TARGET, OTHER)


# JD-6
@pytest.mark.parametrize(
    ("before", "after", "chance"),
    [
        ([RED], [result(OTHER), GREEN, GREEN], True),
        ([RED, RED, BOTH], [result(OTHER), result(OTHER), GREEN], True),
        ([RED, RED, RED, RED, RED], [result(OTHER), result(OTHER), GREEN], False),
        ([RED], [result(OTHER), result(OTHER), result(OTHER)], False),
        ([RED], [result(OTHER), RED, RED], False),
        ([RED], [result(LINT), GREEN, GREEN], False),
    ],
    ids=["passes twice", "fails before too", "only with the fix", "always", "comes back", "no test"],
)
async def test_it_counts_only_where_it_passes_again_and_fails_without_the_fix_too_or_never_again(
    before: list[dict[str, CheckResult]], after: list[dict[str, CheckResult]], chance: bool
) -> None:
    assert await by_chance(evaluator(before, after)) is chance


async def test_what_fails_again_and_again_costs_two_further_runs() -> None:
    one = evaluator([RED], [result(OTHER)] * 3)
    assert not await by_chance(one)
    assert one.asked == [("after", 1), ("after", 2)]


@dataclass
class Credited(TreeEvaluator):
    """The narrowed check is red with TARGET and OTHER without the change; `samples` are its runs with it."""

    samples: list[CheckResult] = field(default_factory=list)

    async def built(self, head_tree: str) -> str:
        return head_tree

    async def _conclusive(self, targets: list[CIError], before: str, strict: bool) -> list[Narrowed]:
        return [Narrowed(command_check("pytest"), BOTH["k"], len(self.samples))]


# CK-4
@pytest.mark.parametrize(
    ("samples", "credited"), [([GREEN, GREEN], [OTHER]), ([GREEN, result(OTHER)], []), ([result(OTHER), GREEN], [])]
)
async def test_a_fix_is_credited_with_another_test_only_where_each_run_of_its_proof_passes(
    samples: list[dict[str, CheckResult]], credited: list[CIError]
) -> None:
    async def run(check: object, tree: str, sample: int = 0) -> CheckResult:
        return samples[sample]["k"]

    checker = SimpleNamespace(run=run)
    one = Credited(None, checker, None, (), {}, samples=[one["k"] for one in samples])  # type: ignore[arg-type]
    assert await one._staying_gone([OTHER], [TARGET], "before", "after", strict=False) == credited
