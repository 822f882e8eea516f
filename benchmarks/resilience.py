"""Whole runs in which things die at random moments: what was lost, posted twice, asked again or left behind.

Each play is a whole run on the local GitHub: CI fails, Heal offers fixes, a maintainer has one applied. Its seed says
what befalls Heal (one process on SQLite, or web and two workers on PostgreSQL), and when: one disaster after the other
until the play is over. Each is a point. The end has to be the same as if nothing had happened. `--points N --seed S`:
plays with the seeds S, S+1 … until N points have come. `--into FILE`: each play is written down at once, and what is
written there is not played again, so that it can be broken off. A lost play's story is printed on stderr.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path

from benchmarks.shape import Goal, Result
from lab.localhub import apps
from tests.bot.postgres import postgres_server
from tests.killing.company import Companies
from tests.killing.ordeal import Damage, Peace, drawn, in_peace, suffer
from tests.killing.scene import record, set_up
from tests.killing.theatre import Theatre, programs

ALL = (("--points", "200"),)
MINUTES = 60.0
LOSSES = ("lost", "doubled", "different", "asked_again", "leaked")
ROOT = Path(__file__).parents[1]


def configure(parser: argparse.ArgumentParser) -> None:
    """The benchmark's own options."""
    parser.add_argument("--points", type=int, default=200, help="how many disasters at least")
    parser.add_argument("--seed", type=int, default=1, help="of the first play")
    parser.add_argument("--into", type=Path, help="a file that keeps each play, and goes on where it was broken off")
    parser.add_argument("--only", choices=("one", "several"), help="plays of one process, or of several")


async def measure(options: argparse.Namespace) -> Result:
    """A row for each kind of disaster, and for each kind of play."""
    found = _read(options.into)
    if _points(found) < options.points:
        async with _house() as (theatre, companies):
            peace = await in_peace(theatre)
            seed = options.seed
            while _points(found) < options.points:
                await _one(seed, theatre, companies, peace, options, found)
                seed += 1
    return _result(sorted(found.values(), key=lambda damage: damage.seed), options.seed)


@asynccontextmanager
async def _house() -> AsyncIterator[tuple[Theatre, Companies]]:
    folder = Path(tempfile.mkdtemp(prefix="heal-resilience-"))
    folder.chmod(0o711)
    (folder / "data").mkdir(mode=0o711)
    key = apps.new_key()
    try:
        with postgres_server() as server:
            recorded = await record(set_up(folder / "rehearsal", key), folder / "data")
            yield Theatre(folder, key, recorded, await programs(folder / "ci")), Companies(server, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _one(
    seed: int,
    theatre: Theatre,
    companies: Companies,
    peace: Peace,
    options: argparse.Namespace,
    found: dict[int, Damage],
) -> None:
    ordeal = drawn(seed)
    if seed in found or (options.only and ordeal.alone != (options.only == "one")):
        return
    found[seed] = damage = await suffer(ordeal, theatre, companies, peace)
    points = len(damage.happened)
    print(f"{seed}: {points} points in {damage.seconds} s; {_points(found)} in all", file=sys.stderr, flush=True)
    if not damage.harmless:
        print(f"{asdict(damage) | {'story': ''}}\n{damage.story}", file=sys.stderr, flush=True)
    if options.into:
        with options.into.open("a") as file:
            file.write(json.dumps({**asdict(damage), "commit": _commit()}) + "\n")


def _read(file: Path | None) -> dict[int, Damage]:
    if file is None or not file.exists():
        return {}
    reported = [json.loads(line) for line in file.read_text().splitlines()]
    return {one["seed"]: Damage(**{k: v for k, v in one.items() if k != "commit"}) for one in reported}


def _commit() -> str:
    asked = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def _points(found: dict[int, Damage]) -> int:
    return sum(len(damage.happened) for damage in found.values())


def _result(found: list[Damage], seed: int) -> Result:
    plays = {
        "plays of one process on SQLite": [damage for damage in found if damage.alone],
        "plays of web and two workers on PostgreSQL": [damage for damage in found if not damage.alone],
        "all plays": found,
    }
    rows: list[dict[str, object]] = [_row(what, damages) for what, damages in plays.items() if damages]
    kinds = Counter(name for damage in found for name in damage.happened)
    rows += [{"what happens": name, "points": count} for name, count in kinds.most_common()]
    sums = {name: sum(getattr(damage, name) for damage in found) for name in LOSSES}
    points = sum(kinds.values())
    goals = [Goal("points", "≥ 200", points, points >= 200)]
    goals += [Goal(name.replace("_", " "), "0", count, count == 0) for name, count in sums.items()]
    packages = ("psycopg", "SQLAlchemy")
    return Result("resilience", seed=seed, rows=rows, goals=goals, packages=packages, partly=points < 200)


def _row(what: str, damages: list[Damage]) -> dict[str, object]:
    points = sum(len(damage.happened) for damage in damages)
    row: dict[str, object] = {"what happens": what, "points": points, "plays": len(damages)}
    row |= {name.replace("_", " "): sum(getattr(damage, name) for damage in damages) for name in LOSSES}
    row["calls lost in flight"] = sum(damage.in_flight for damage in damages)
    return {**row, "s a point": round(sum(damage.seconds for damage in damages) / max(points, 1), 1)}
