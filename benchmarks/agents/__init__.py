"""Agents: what they solve and report, what they ask and pay against other designs, how they share the work, and what
Heal itself takes of a step. Real agents, loop, door, worktrees, sandbox and SDK; the Messages API's stand-in."""

import argparse
import asyncio
from contextlib import ExitStack
from typing import Any

from benchmarks.agents.before import shared_before, solvable_before
from benchmarks.agents.designs import designs
from benchmarks.agents.routes import routes
from benchmarks.agents.shared import SLIPS, shared
from benchmarks.agents.solving import Solved, impossible, solvable
from benchmarks.agents.speed import overhead, speed_rows, speed_up
from benchmarks.shape import Goal, Result
from tests.pipeline.bench import Bench, open_bench

MINUTES = 30.0
PARTS = ("solve", "shared", "designs", "routes", "overhead", "speed")


def configure(parser: argparse.ArgumentParser) -> None:
    """Its own options."""
    parser.add_argument("--latency", type=float, default=2.0, metavar="S", help="seconds that a reply takes (speed)")
    parser.add_argument("--only", choices=PARTS, action="append", help="measure only this part; may be repeated")


async def measure(options: argparse.Namespace) -> Result:
    """All parts, or those asked for."""
    result = Result("agents", seed=0, packages=("anthropic",))
    wanted = options.only or PARTS
    with ExitStack() as stack:
        bench = await asyncio.to_thread(stack.enter_context, open_bench())  # it has an event loop of its own
        if "solve" in wanted:
            await _solve(bench, result)
        if "shared" in wanted:
            await _shared(bench, result)
        if "designs" in wanted:
            await _designs(bench, result)
        if "routes" in wanted:
            rows, share = await routes(bench)
            result.rows += rows
            result.goals.append(Goal("routing costs, of the generalist's", "≤ 1.05", round(share, 3), share <= 1.05))
        if "overhead" in wanted:
            await _overhead(bench, result)
        if "speed" in wanted:
            seconds = await speed_up(bench, options.latency)
            result.rows += speed_rows(seconds)
            for agents in (2, 4, 8):
                share = seconds[1] / seconds[agents] / agents
                result.goals.append(
                    Goal(f"{agents} agents, of the ideal speed-up", "≥ 0.9", round(share, 3), share >= 0.9)
                )
    return result


async def _solve(bench: Bench, result: Result) -> None:
    good, none, cheat = await solvable(bench), await impossible(bench), await impossible(bench, cheating=True)
    sparing = await solvable(bench, reads_all=False)
    before, goals = solvable_before(good, sparing)
    result.rows += [
        good.row("solvable repositories, a model that knows"),
        sparing.row("the same, a model that reads only what it isn't shown"),
        *before,
        none.row("impossible tasks, an honest model"),
        cheat.row("impossible tasks, a model that cheats"),
    ]
    result.goals += [
        _share("solvable errors cured %", "100", good.cured, good.errors),
        Goal("wrong proposals", "0", _wrong(good, sparing, none, cheat), not _wrong(good, sparing, none, cheat)),
        _share("impossible errors reported as unfixable %", "100", none.unfixable, none.errors),
        _share("the same with a model that cheats %", "100", cheat.unfixable, cheat.errors),
        *goals,
    ]


async def _shared(bench: Bench, result: Result) -> None:
    for name in SLIPS:
        reported = await shared(bench, name)
        before, goals = shared_before(name, reported)
        result.rows += [reported.row(name), before]
        result.goals += [
            _share(f"errors of {name} cured %", "100", len(reported.cured), len(reported.outcome.errors)),
            Goal(f"agents asked about {name}", "1", reported.agents, reported.agents == 1),
            Goal(f"first request about {name}, kB", "≤ 40", round(reported.first / 1000, 1), reported.first <= 40_000),
            *goals,
        ]


def _wrong(*several: Solved) -> int:
    return sum(one.wrong for one in several)


def _share(name: str, goal: str, part: int, whole: int) -> Goal:
    return Goal(name, goal, round(100 * part / max(whole, 1), 1), part == whole > 0)


async def _designs(bench: Bench, result: Result) -> None:
    rows, done = await designs(bench)
    result.rows += rows
    trunk = done["trunk"].spending
    share: dict[str, Any] = {name: trunk.dollars / one.spending.dollars for name, one in done.items()}
    inwards = trunk.input_tokens + trunk.cache_write_tokens + trunk.cache_read_tokens
    cached = trunk.cache_read_tokens / inwards
    result.goals += [
        Goal("cached share of the input %", "≥ 85", round(100 * cached, 1), cached >= 0.85),
        Goal("dollars, of the append-only history's", "< 1", round(share["append-only"], 3), share["append-only"] < 1),
        Goal("dollars, of one agent for each error", "< 1", round(share["alone"], 3), share["alone"] < 1),
    ]


async def _overhead(bench: Bench, result: Result) -> None:
    """The processor's time says on a busy machine what the wall's says on a quiet one."""
    step = await overhead(bench)
    result.rows += [
        {"measured": "Heal's own part of an agent's step", "seconds": _s(step.own), "processor": _s(step.own_busy)},
        {"measured": "its call: SDK, HTTP, stand-in", "seconds": _s(step.asking), "processor": _s(step.asking_busy)},
    ]
    result.goals += [
        Goal("Heal's own part of an agent's step, ms", "≤ 50", round(step.own, 1), step.own <= 50),
        Goal("of that on the processor, ms", "≤ 50", round(step.own_busy, 1), step.own_busy <= 50),
    ]


def _s(milliseconds: float) -> float:
    return round(milliseconds / 1000, 4)
