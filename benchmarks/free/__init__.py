"""`python -m benchmarks free`: how much of what breaks is cured with zero tokens, by language and kind (AF-5).

Real packages (benchmarks/free/sources.py) are broken in ways in which people break them (breaking.py). Each broken
repository goes through the whole engine without a model, and, beside it, through what services that apply formatters
and linters with their own fixes do. Both are judged alike: by running the failing commands again on the result.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.free.breaking import Broken, breakages
from benchmarks.free.sources import Files, Source, missing, sources
from benchmarks.shape import Goal, Result
from healing.checks.check import Check, Script
from healing.edits.exact import EditError, apply_edits
from healing.failed_jobs import Trees
from healing.git.run_id import run_id
from healing.model import Outcome
from healing.pipeline.failure import Failure
from healing.pipeline.pipeline import Tools, heal
from tests.npm import NoNpmError, node_modules
from tests.pipeline.bench import Bench, open_bench

SEED = 20261122


@dataclass(frozen=True)
class Ended:
    """Errors of one broken repository: all, and those that Heal and the peer cured. `exact`: Heal's files are those of
    before, byte for byte. `wrong`: Heal said healed, and its commands are red."""

    broken: Broken
    errors: int
    cured: int
    peer: int
    exact: bool
    wrong: bool
    seconds: float


async def measure() -> Result:
    """Breaks, heals, judges; rows by language and kind."""
    async with _opened() as bench:
        ended = [one for source in sources() async for one in _of_source(bench, source)]
    rows = list(_rows(ended))
    whole = sum(e.errors for e in ended)
    share = sum(e.cured for e in ended) / whole if whole else 0.0
    peer = sum(e.peer for e in ended) / whole if whole else 0.0
    goals = [
        Goal("share of errors cured with zero tokens, beside the peer's", f"> {peer:.2f}", share, share > peer),
        Goal(
            "said healed, and a command is red",
            "0",
            float(sum(e.wrong for e in ended)),
            not any(e.wrong for e in ended),
        ),
    ]
    if missing():
        goals.append(Goal(f"all packages are here (missing: {', '.join(missing())})", "all", None, ok=False))
    return Result("free", SEED, rows, goals)


@asynccontextmanager
async def _opened() -> AsyncIterator[Bench]:
    """A bench, made in a thread: it runs event loops of its own."""
    try:
        programs: tuple[Path, ...] = (node_modules() / ".bin",)
    except NoNpmError:
        programs = ()
    with ExitStack() as stack:
        yield await asyncio.to_thread(stack.enter_context, open_bench(*programs))


async def _of_source(bench: Bench, source: Source) -> AsyncIterator[Ended]:
    whole = await _repaired(bench, source)
    if whole is None:
        return
    for broken in breakages(whole, SEED):
        ended = await _play(bench, broken)
        if ended is not None:
            yield ended


def _checks(source: Source, before: str = "") -> tuple[Check, ...]:
    setup = (Script(name="Install", run=source.setup),) if source.setup else ()
    made = []
    for command in source.commands:
        run = f"{{ {before}; }} >/dev/null 2>&1 || true\n{command}" if before else command
        made.append(Check(workflow="", job="", step=Script(name=command, run=run), setup=setup))
    return tuple(made)


async def _repaired(bench: Bench, source: Source) -> Source | None:
    """The package as its own tools would have it; None where its commands are red even then."""
    (tree,) = bench.trees(source.files)
    checker = bench.checker(tree)
    check = Check(workflow="", job="", step=Script(name="mend", run=source.peer), setup=_checks(source)[0].setup)
    async with checker.worktrees.worktree(checker.run_id, "mend", checker.git, tree, checker.sandbox.layered) as place:
        await checker.run_in(check, place)
        read = {path: (place.read(path) or b"").decode() for path in source.files}
    (tree,) = bench.trees(read)
    green = [(await checker.run(check, tree)).green for check in _checks(source)]
    repaired = Source(source.language, source.package, read, source.commands, source.peer, source.setup)
    return repaired if all(green) else None


async def _play(bench: Bench, broken: Broken) -> Ended | None:
    """None where the breakage breaks nothing."""
    source = broken.source
    (tree,) = bench.trees(broken.files)
    checker = bench.checker(tree)
    checks = _checks(source)
    red = [await checker.run(check, tree) for check in checks]
    errors = sum(len(result.errors) for result in red)
    if not errors:
        return None
    failure = Failure(run_id(tree, "0" * 40), "0" * 40, Trees(tree, tree), checks=checks)
    began = time.monotonic()
    outcome = await heal(failure, Tools(bench.git, checker.steps, checker, None, time.monotonic, _silent))
    seconds = time.monotonic() - began
    files = _applied(outcome, broken.files)
    (healed,) = bench.trees(files)
    after = [await checker.run(check, healed) for check in checks]
    peer = [await checker.run(check, tree) for check in _checks(source, source.peer)]
    return Ended(
        broken,
        errors,
        max(errors - sum(len(r.errors) for r in after), 0),
        max(errors - sum(len(r.errors) for r in peer), 0),
        exact=files == source.files,
        wrong=outcome.verdict == "healed" and not all(r.green for r in after),
        seconds=seconds,
    )


def _applied(outcome: Outcome, broken: Files) -> Files:
    """The files with all proposals, in their order."""
    files = {path: text.encode() for path, text in broken.items()}
    for proposal in outcome.proposals:
        try:
            changes = apply_edits(proposal.edits, files.get)
        except EditError:
            changes = apply_edits(proposal.wide, files.get)
        files |= {path: data for path, data in changes.items() if data is not None}
    return {path: data.decode() for path, data in files.items()}


async def _silent(_sentence: str) -> None:
    await asyncio.sleep(0)


def _rows(ended: list[Ended]) -> Iterator[dict[str, object]]:
    for key in dict.fromkeys((e.broken.source.language, e.broken.category) for e in ended):
        mine = [e for e in ended if (e.broken.source.language, e.broken.category) == key]
        errors = sum(e.errors for e in mine)
        yield {
            "language": key[0],
            "broken": key[1],
            "repos": len(mine),
            "errors": errors,
            "heal": sum(e.cured for e in mine) / errors,
            "peer": sum(e.peer for e in mine) / errors,
            "exact": sum(e.exact for e in mine),
            "seconds": sum(e.seconds for e in mine) / len(mine),
        }


__all__ = ["Files", "measure"]
