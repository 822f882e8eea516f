"""Whole runs in which something dies at a random moment: what was lost, posted twice, asked again or left behind.

Each point is a play on the local GitHub: CI fails, Heal offers fixes, a maintainer has one applied. Its seed says what
befalls Heal (one process on SQLite, or web and two workers on PostgreSQL) and when. The end has to be the same as if
nothing had happened. `--points N --seed S`: the seeds S to S+N-1. A lost play's story is printed on stderr.
"""

import argparse
import shutil
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks.shape import Goal, Result
from bot.localhub import apps
from tests.bot.postgres import postgres_server
from tests.killing.company import Companies
from tests.killing.disasters import Damage, drawn, in_peace, suffer
from tests.killing.ending import Bill, Ending
from tests.killing.scene import record, set_up
from tests.killing.theatre import Theatre

ALL = (("--points", "200"),)
LOSSES = ("lost", "doubled", "different", "asked_again", "leaked")


def configure(parser: argparse.ArgumentParser) -> None:
    """The benchmark's own options."""
    parser.add_argument("--points", type=int, default=200, help="how many disasters")
    parser.add_argument("--seed", type=int, default=1, help="of the first one")
    parser.add_argument("--only", help="a part of a kind's name")


async def measure(options: argparse.Namespace) -> Result:
    """A row for each kind of disaster."""
    folder = Path(tempfile.mkdtemp(prefix="heal-resilience-"))
    folder.chmod(0o711)
    (folder / "data").mkdir(mode=0o711)
    key = apps.new_key()
    try:
        with postgres_server() as server:
            theatre = Theatre(folder, key, await record(set_up(folder / "rehearsal", key), folder / "data"))
            healthy, longest = await in_peace(theatre)
            companies = Companies(server, folder)
            found = [
                await _one(seed, longest, theatre, companies, healthy, options.only)
                for seed in range(options.seed, options.seed + options.points)
            ]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return _result([damage for damage in found if damage], options.seed)


async def _one(
    seed: int, longest: float, theatre: Theatre, companies: Companies, healthy: tuple[Ending, Bill], only: str | None
) -> Damage | None:
    if only and only not in drawn(seed, longest)[0].name:
        return None
    damage = await suffer(seed, longest, theatre, companies, healthy)
    print(f"{seed}: {damage.kind}, {damage.at} s after CI failed: {damage.seconds} s", file=sys.stderr, flush=True)
    if not damage.harmless:
        print(f"{damage}\n{damage.story}", file=sys.stderr, flush=True)
    return damage


def _result(found: list[Damage], seed: int) -> Result:
    kinds: dict[str, list[Damage]] = defaultdict(list)
    for damage in found:
        kinds[damage.kind].append(damage)
    rows = [_row(kind, damages) for kind, damages in sorted(kinds.items())]
    rows.append(_row("all", found))
    sums = {name: sum(getattr(damage, name) for damage in found) for name in LOSSES}
    goals = [Goal("points", "≥ 200", len(found), len(found) >= 200)]
    goals += [Goal(name.replace("_", " "), "0", count, count == 0) for name, count in sums.items()]
    return Result("resilience", seed=seed, rows=rows, goals=goals, packages=("dbos", "psycopg", "SQLAlchemy"))


def _row(kind: str, damages: list[Damage]) -> dict[str, object]:
    row: dict[str, object] = {"what happens": kind, "points": len(damages)}
    row |= {name.replace("_", " "): sum(getattr(damage, name) for damage in damages) for name in LOSSES}
    row["calls lost in flight"] = sum(damage.in_flight for damage in damages)
    return {**row, "median s": sorted(damage.seconds for damage in damages)[len(damages) // 2]}
