"""A test that fails by chance beside a fix is run again before the fix is refused."""

from dataclasses import dataclass, field

import pytest

from healing.checks.check import CheckResult
from healing.model import Category, CIError
from healing.verify.judging import judge
from healing.verify.tree_evaluator import TreeEvaluator

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
