"""Released packages, broken, through the whole engine: how many are healed, and whether anything wrong is offered.

`python -m benchmarks heal --cases DIR [--model none|NAME] [--search] [--limit N]`. Each case is a repository of one
commit, so that the answer isn't in its history. Judged by pytest's own word, outside of Heal.
`python -m benchmarks all` measures it where HEAL_CASES names that folder, or the shared corpus has one.
"""

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import keeping
from benchmarks.heal.cases import Case, read_cases
from benchmarks.heal.judge import Judge
from benchmarks.heal.packages import Packages
from benchmarks.heal.stage import Stage
from benchmarks.heal.tally import Ended, of_a_fix, rows, shares, tally
from benchmarks.shape import Goal, Result
from bot.runs.engine import Engine
from bot.settings import read_settings
from healing.environment.toolchain import TOOLS, base_environment

CASES = Path(os.environ.get("HEAL_CASES") or Path(__file__).parents[3] / "shared/corpus/heal")
ALL = (("--cases", str(CASES)),) if (CASES / "cases.json").exists() else ()
MINUTES = 60.0
GOALS = {False: 0.30, True: 0.45}  # share healed without a model, by whether search is on


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--cases", type=Path, required=True, metavar="DIR", help="a folder with cases.json")
    parser.add_argument("--model", default="none", metavar="NAME", help="a model of the configured provider, or none")
    parser.add_argument("--search", action="store_true", help="also search for repairs of failing tests")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N cases")
    parser.add_argument("--only", metavar="TEXT", default="", help="only cases with this in their id")
    parser.add_argument("--jobs", type=int, default=2, choices=(1, 2), help="cases at the same time")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir(), "heal-benchmark"), metavar="DIR")


async def measure(chosen: argparse.Namespace) -> Result:
    """Heals every case; progress goes to stderr."""
    cases = [case for case in read_cases(chosen.cases) if chosen.only in case.id][: chosen.limit]
    with _folder(chosen.cache) as data:
        engine = _engine(data, chosen.model)
        try:
            stage = await _stage(engine, chosen, data)
            ended = await _play(stage, cases, chosen.jobs)
        finally:
            await engine.close()
    return _result(ended, chosen)


@contextmanager
def _folder(cache: Path) -> Iterator[Path]:
    """A fresh data folder inside the cache, which the sandboxed user can pass through."""
    for folder in (cache, cache / "base"):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o711)
    data = Path(tempfile.mkdtemp(prefix="run-", dir=cache))
    data.chmod(0o711)
    try:
        yield data
    finally:
        shutil.rmtree(data, ignore_errors=True)


def _engine(data: Path, model: str) -> Engine:
    settings = read_settings().model_copy(update={"data": data})
    return Engine(settings if model == "none" else settings.model_copy(update={"model": model}))


async def _stage(engine: Engine, chosen: argparse.Namespace, data: Path) -> Stage:
    await engine.need_sandbox()
    sandbox = (await engine.probed()).sandbox
    assert sandbox is not None, "need_sandbox has looked"
    tools = (*TOOLS, "pytest-timeout", "hypothesis")
    toolchain = await base_environment(chosen.cache / "base", sandbox.owner, tools)
    plugin = data / "plugin"
    plugin.mkdir(mode=0o755)
    shutil.copy(Path(__file__).with_name("outcomes.py"), plugin)
    judge = Judge(data, plugin, sandbox, toolchain)
    return Stage(engine, Packages(chosen.cache.resolve()), judge, toolchain, chosen.search, chosen.model != "none")


async def _play(stage: Stage, cases: list[Case], jobs: int) -> list[Ended]:
    gate = asyncio.Semaphore(jobs)
    done = 0

    async def one(case: Case) -> Ended:
        nonlocal done
        async with gate:
            ended = await stage.play(case)
        done += 1
        by = f" ({', '.join(ended.sources)})" if ended.sources else ""
        output = f"[{done}/{len(cases)}] {case.id}: {ended.how}{by}, {ended.seconds:.0f} s"
        print(output + (f": {ended.why}" if ended.why else ""), file=sys.stderr, flush=True)
        return ended

    return list(await asyncio.gather(*(one(case) for case in cases)))


def _result(ended: list[Ended], chosen: argparse.Namespace) -> Result:
    summary = tally(ended)
    looked = len(ended) - summary["could_not_look"]
    share = summary["healed"] / looked if looked else 0.0
    goals = [Goal("nothing wrong is offered", "0", summary["wrong"], summary["wrong"] == 0)]
    if chosen.model == "none":
        least = GOALS[chosen.search]
        goals.append(Goal("healed free", f">= {least:.0%}", round(share, 3), share >= least))
    whole = {**summary, **shares(ended), **of_a_fix(ended)}
    content = (chosen.cases / "cases.json").read_bytes()
    name = keeping.name_of("heal", chosen.cases.resolve().name, chosen.model, content=content)
    return Result(name, seed=0, rows=rows(ended), goals=goals, packages=("dulwich", "pytest"), summary=whole)
