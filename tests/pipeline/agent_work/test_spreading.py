"""Clusters that another worker goes ahead through: it has only the branch's commits, the order and the run's steps."""

import contextlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from healing.git import Git
from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.llm.protocol import Request, Turn
from healing.llm.usage_records import Booking
from healing.model import Outcome
from healing.pipeline.agent_work.ahead import Prefetcher
from healing.pipeline.agent_work.model_set import ModelSet
from healing.pipeline.agent_work.spreading import ClusterJob, ClusterOrder
from healing.policy.fixes import FixPolicy
from healing.policy.unsent import UnsentFiles
from healing.steps import MemorySteps
from tests.model_standin import oracle, serve
from tests.pipeline.agent_work.test_agent_pool import BASE, CHANGE, FIXES, NAMES, RUFF
from tests.pipeline.bench import Bench

HERE, THERE = "here", "there"
LOOSE = "def here() -> str:\n    return os.getcwd()\n"  # what a fixer repairs for nothing


LATER = ("areas", "sums", "rates")  # their tests fail: work for the slow phase
LATER_BASE = {f"{name}.py": "def one():\n    return 1\n" for name in LATER} | {
    f"test_{name}.py": f"from {name} import one\n\n\ndef test_one():\n    assert one() == 1\n" for name in LATER
}
LATER_CHANGE = {f"{name}.py": f"def one():\n    return {number} / 0\n" for number, name in enumerate(LATER, 1)}
LATER_FIXES = {f"{name}.py": (f"{number} / 0", "1") for number, name in enumerate(LATER, 1)}


@dataclass
class Books:
    """Of both."""

    rows: dict[str, float] = field(default_factory=dict)

    async def book(self, booking: Booking) -> None:
        self.rows.setdefault(booking.key, booking.dollars)

    async def booked(self) -> Mapping[str, float]:
        return dict(self.rows)


@dataclass
class Asked:
    """A model that writes down who asked it; it breaks after `most` calls."""

    real: AnthropicModel
    who: str
    calls: list[tuple[str, str]]
    most: int = 1000

    def __post_init__(self) -> None:
        self.name = self.real.name

    async def complete(self, request: Request) -> Turn:
        if sum(who == self.who for who, _ in self.calls) >= self.most:
            raise ConnectionError("this machine is gone")
        self.calls.append((self.who, request.key()))
        return await self.real.complete(request)


@dataclass
class Elsewhere:
    """`Distributor` to a worker with a store of its own, which got the run's commits and nothing else."""

    bench: Bench
    steps: MemorySteps
    books: Books
    git: Git
    model: Asked
    orders: list[ClusterOrder] = field(default_factory=list)
    went: list[bool] = field(default_factory=list)

    async def wanted(self, job: ClusterJob) -> bool:
        return job.alone_first

    async def prefetch(self, order: ClusterOrder) -> None:
        same = ClusterOrder.model_validate(json.loads(json.dumps(order.model_dump(mode="json"))))
        assert same == order
        self.orders.append(order)
        for kind, data in self.bench.git.objects_of([order.trees.head]).values():  # what fetching its commit brings
            self.git.add_object(kind, data)
        checker = self.bench.checker(order.trees.head)
        checker.git, checker.steps, checker.run_id = self.git, self.steps, f"{order.run_id}x"
        model_set = ModelSet(alone(self.model), Budget(order.dollars, usage_records=self.books, borrowed=True))
        with contextlib.suppress(ConnectionError):
            self.went.append(await Prefetcher(self.git, checker, model_set, UnsentFiles(), FixPolicy()).work(same))


@dataclass
class Both:
    """What came of a run on two workers."""

    outcome: Outcome
    calls: list[tuple[str, str]]
    there: Elsewhere
    budget: Budget

    @property
    def askers(self) -> Counter[str]:
        return Counter(who for who, _ in self.calls)


async def on_two(
    bench: Bench,
    folder: Path,
    change: Mapping[str, str],
    *commands: str,
    most: int = 1000,
    model: str = "claude-sonnet-5-5",
) -> Both:
    calls: list[tuple[str, str]] = []
    steps, books = MemorySteps(), Books()
    async with serve(oracle({**FIXES, **LATER_FIXES})) as standin:
        here = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
        elsewhere = AnthropicModel(model, standin.key, standin.url)
        with Git.open(folder / "mirror.git") as git:
            there = Elsewhere(bench, steps, books, git, Asked(elsewhere, THERE, calls, most))
            model_set = ModelSet(alone(Asked(here, HERE, calls)), Budget(10.0, usage_records=books))
            base = BASE | (LATER_BASE if commands else {})
            outcome = await bench.heal(
                base, dict(change), RUFF, *commands, model_set=model_set, spread=there, steps=steps
            )
        await here.close()
        await elsewhere.close()
    return Both(outcome, calls, there, model_set.budget)


async def at_home(bench: Bench, change: Mapping[str, str]) -> Outcome:
    async with serve(oracle(FIXES)) as standin:
        model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
        outcome = await bench.heal(BASE, dict(change), RUFF, model_set=ModelSet(alone(model), Budget(10.0)))
        await model.close()
    return outcome


def came_to(outcome: Outcome) -> tuple[object, ...]:
    """What people see of it."""
    fixes = sorted(str((p.edits, p.reverse, p.error_ids, p.needs, p.flags)) for p in outcome.proposals)
    proofs = sorted(
        (e.command, e.before_tree, e.after_tree, e.after_exit) for p in outcome.proposals for e in p.evidence
    )
    return (outcome.verdict, fixes, proofs, sorted(str(r) for r in outcome.resolutions), outcome.unfixables)


# OP-2, OP-3
async def test_what_another_worker_found_is_merged_by_the_run_as_if_it_had_found_it_itself(
    bench: Bench, tmp_path: Path
) -> None:
    change = {**CHANGE, "loose.py": LOOSE}  # what is free is repaired first: agents start from that
    both = await on_two(bench, tmp_path, change)
    assert len(both.there.orders) == len(NAMES)
    assert both.there.went == [True] * len(NAMES)
    assert all([one.path for one in order.changes] == ["loose.py"] for order in both.there.orders)
    assert both.askers[THERE] >= len(NAMES)
    assert both.askers[HERE] <= 1  # the question that warms the cache, once for a phase
    assert len(set(both.calls)) == len(both.calls)
    assert came_to(both.outcome) == came_to(await at_home(bench, change))
    assert both.outcome.verdict == "healed"


# OP-2
@pytest.mark.slow
async def test_clusters_of_the_slow_phase_are_spread_like_those_of_the_fast_one(bench: Bench, tmp_path: Path) -> None:
    both = await on_two(bench, tmp_path, {**CHANGE, **LATER_CHANGE}, "python -m pytest -q")
    assert Counter(order.job.task.cluster.phase for order in both.there.orders) == {"fast": 3, "slow": 3}
    slow = both.there.orders[-1]
    assert {change.path for change in slow.changes} == set(FIXES), "they begin on what the fast phase has mended"
    assert both.there.went == [True] * 6
    assert both.askers[HERE] <= 2  # the question that warms the cache, once for a phase
    assert both.outcome.verdict == "healed"


# OP-3
async def test_what_a_worker_that_is_gone_had_asked_is_not_asked_again(bench: Bench, tmp_path: Path) -> None:
    both = await on_two(bench, tmp_path, CHANGE, most=2)
    assert both.askers[THERE] == 2
    keys = Counter(key for _, key in both.calls)
    assert max(keys.values()) == 1
    assert both.outcome.verdict == "healed"


# LM-6
async def test_what_another_worker_spends_is_lent_to_it_and_counts_in_the_runs_budget(
    bench: Bench, tmp_path: Path
) -> None:
    both = await on_two(bench, tmp_path, CHANGE)
    lent = [order.dollars for order in both.there.orders]
    assert all(dollars is not None and 0 < dollars <= 10.0 / (len(NAMES) + 1) for dollars in lent)
    spent = both.outcome.spending.dollars
    assert spent > 0
    assert both.budget.share(0) == 10.0 - spent


# OP-2
async def test_a_worker_that_would_ask_another_model_leaves_the_cluster_to_the_run(
    bench: Bench, tmp_path: Path
) -> None:
    both = await on_two(bench, tmp_path, CHANGE, model="claude-haiku-5-5")
    assert both.there.went == [False] * len(NAMES)
    assert set(both.askers) == {HERE}
    assert both.outcome.verdict == "healed"
