"""Heal's own part of a run: what is left of the time when checks and models are taken away.

A repository of 5,000 Python files with errors that fixers cure, and the same with one that an agent has to cure,
through the whole engine with real tools in the real sandbox; a model that answers as the oracle would, two seconds
later. Heal's own is all time in which no check and no model call is under way: the checkout, the log, fixers,
worktrees and proofs are in it; a sandbox's start is its check's (`sandbox` measures it), fetching from GitHub and
showing there are not in it. What Heal does while a check runs (it reads the import graph) costs nobody's time and
isn't in it either. One error and one agent are the harshest case: more of them mean more checks and calls, not more
checkouts.

Each run has another commit; it finds what earlier runs left of the repository, as in a process that serves one. The
first run of a repository is shown too. What is imported once in a process is imported before, on a small repository.

Peer: the checks and the model of the same run, without which nobody could do.
"""

import asyncio
import statistics
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from typing import Any

from benchmarks.shape import Goal, Result
from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.model import Outcome
from healing.pipeline.agent_work.model_set import ModelSet
from healing.spans import Span, Value, listening
from tests.model_standin import oracle
from tests.model_standin.replies import Body
from tests.model_standin.server import serve
from tests.pipeline.bench import Bench, Files, open_bench

FILES, REPEATS, LATENCY = 5_000, 5, 2.0
MODEL = "claude-sonnet-5-5"
OTHERS = ("check", "model_call")  # spans that are not Heal's own doing
BROKEN = "shop/part0/module0.py"
RIGHT, WRONG = "    return low + (high - low) // 2\n", "    return low + (high + low) // 2\n"
TEST = "from shop.part0.module0 import middle\n\n\ndef test_middle() -> None:\n    assert middle(2, 4) == 3\n"
SLIPS = "import os\n\nfrom shop.part1.module1 import middle\n\n\ndef half() -> int:\n    return midle(0, {number})\n"


@dataclass
class Watch:
    """Listens to spans: when each began and ended, in order of their ends."""

    spans: list[tuple[str, float, float]] = field(default_factory=list)

    def begin(self, name: str) -> Span:
        return _Begun(self, time.monotonic())

    def until(self, last: str) -> tuple[float, float]:
        """(seconds, Heal's own of them) from the first span's begin to the end of the last one of this name."""
        first = min(begin for _, begin, _ in self.spans)
        end = max(end for name, _, end in self.spans if name == last)
        others, seen = 0.0, first
        for name, begin, stop in sorted(self.spans, key=lambda span: span[1]):
            if name in OTHERS and begin < end:
                others += max(0.0, min(stop, end) - max(begin, seen))
                seen = max(seen, stop)
        return end - first, end - first - others


@dataclass
class _Begun:
    watch: Watch
    at: float

    def end(self, name: str, attributes: Mapping[str, Value]) -> None:
        self.watch.spans.append((name, self.at, time.monotonic()))


async def measure() -> Result:
    """Seconds: the median of some runs, and the first one alone."""
    free, paid = [], []
    with ExitStack() as stack:
        bench = await asyncio.to_thread(stack.enter_context, open_bench())
        small, base = [(await asyncio.to_thread(bench.trees, _base(count)))[0] for count in (100, FILES)]
        await _paid(bench, small, 0)
        first = (await _paid(bench, base, 0)).until("phase slow")
        for number in range(1, REPEATS + 1):
            free.append((await _free(bench, base, number)).until("phase fixers"))
            paid.append((await _paid(bench, base, number)).until("phase slow"))
    rows = [
        _row("free: an import and a name, from the log to the last free fix", free),
        _row(f"an agent: one wrong line, {LATENCY:g} s a reply", paid),
        _row("the same, the first run of the repository", [first]),
    ]
    own, share = rows[0]["Heal's own s"], rows[1]["Heal's own, of all"]
    goals = [
        Goal(f"Heal's own seconds until the free fixes of a repository of {FILES:,} files", "<= 5", own, own <= 5),
        Goal("Heal's own share of a run with a model of 2 s", "<= 0.1", share, share <= 0.1),
    ]
    return Result("overhead", 0, rows, goals, ("anthropic", "ruff", "pytest"))


def _row(what: str, runs: list[tuple[float, float]]) -> dict[str, Any]:
    return {
        "what": what,
        "whole s": round(statistics.median(whole for whole, _ in runs), 2),
        "Heal's own s": round(statistics.median(own for _, own in runs), 2),
        "Heal's own, of all": round(statistics.median(own / whole for whole, own in runs), 3),
    }


async def _free(bench: Bench, base: str, number: int) -> Watch:
    return await _healed(bench, base, SLIPS.format(number=number), "ruff check shop/part0", None)


async def _paid(bench: Bench, base: str, number: int) -> Watch:
    async def before(body: Body, _number: int) -> None:
        await asyncio.sleep(LATENCY if body["max_tokens"] else 0)

    async with AsyncExitStack() as stack:
        brain = oracle({BROKEN: (WRONG.strip(), RIGHT.strip())}, careful=True)
        standin = await stack.enter_async_context(serve(brain, before=before))
        model = AnthropicModel(MODEL, standin.key, standin.url)
        stack.push_async_callback(model.close)
        broken = _module(0).replace(RIGHT, WRONG) + f"# {number}\n"
        return await _healed(bench, base, broken, "python -m pytest -q tests", ModelSet(alone(model), Budget(100.0)))


async def _healed(bench: Bench, base: str, broken: str, command: str, model_set: ModelSet | None) -> Watch:
    """One run on a commit of its own."""
    head = await asyncio.to_thread(bench.git.write_tree, base, {BROKEN: broken.encode()})
    watch = Watch()
    with listening(watch):
        outcome = await bench.heal_trees(base, head, [BROKEN], command, model_set=model_set)
    _proven(outcome)
    return watch


def _proven(outcome: Outcome) -> None:
    if outcome.verdict != "healed":
        raise RuntimeError(f"the benchmark's own errors were not healed: {outcome.verdict}, {outcome.unfixables}")


def _module(number: int) -> str:
    lines = "".join(f"VALUE_{number}_{line} = {line}\n" for line in range(20))
    return f"def middle(low: int, high: int) -> int:\n{RIGHT}\n\n{lines}"


def _base(count: int) -> Files:
    files = {f"shop/part{n % 50}/module{n}.py": _module(n) for n in range(count)}
    packages = {f"shop/part{n}/__init__.py": "" for n in range(50)}
    return {**files, **packages, "shop/__init__.py": "", "tests/test_middle.py": TEST}
