"""The whole product: real projects in five languages, broken, from the failed check to the verified suggestion.

`python -m benchmarks realworld [--again TEXT] [--minutes N] [--report FILE]` plays the cases that are not kept yet, and
keeps each at once: what is ended goes on where it was. docs/realworld.md is written from them. The cases and their
judge are those of tests/realworld; the local GitHub, its CI, Heal over HTTP and the sandbox are real, the model is an
oracle behind the Messages API's stand-in. `first` are seconds from the end of CI to the first offer.

Peer: one agent for each error that was found, nothing cached, by the published call profile (see cost). The same
profile prices what Heal asks a model about, in its clusters; what the oracle really took is less, since it knows the
answer, and stands in columns of its own. Not compared: how good a model is, and what the naive way would heal. Fixers
were made better with the Python cases, with the others they were not.
"""

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from benchmarks.shape import Goal, Result
from tests.realworld.case import play
from tests.realworld.catalogue import PROJECTS, cases
from tests.realworld.effort import effort
from tests.realworld.fetching import NotHereError
from tests.realworld.page import CASES, PAGE, made
from tests.realworld.projects import Project
from tests.realworld.report import ENDS, Ledger, Row, kept
from tests.realworld.stage import stage

ENOUGH = 100
ALL = (("--minutes", "50"),)
MINUTES = 60.0
MAX_WAIT = 600  # seconds for a case: on a busy machine one takes minutes
END_COLUMNS = dict(zip(ENDS, ("free", "oracle", "partly", "unfixable", "wrong"), strict=True))


@dataclass(frozen=True)
class Missing:
    """A case that is not kept, and why."""

    project: Project
    name: str
    why: str


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--again", metavar="TEXT", help="play anew what is kept, if this is in PROJECT-SLIP")
    parser.add_argument("--minutes", type=float, default=30, metavar="N", help="after which no further case begins")
    parser.add_argument("--report", type=Path, default=CASES, metavar="FILE", help="where each case is kept at once")


async def measure(chosen: argparse.Namespace) -> Result:
    """Plays the cases that are not kept yet; progress goes to stderr."""
    ledger = kept(chosen.report)
    missing = [Missing(project, name, "no time was left") for project, name in _chosen(chosen.again, ledger.rows)]
    if missing:
        missing = [one async for one in _played(missing, chosen)]
    ledger = kept(chosen.report)
    if chosen.report == CASES:
        PAGE.write_text(await made())
    rows = [await _row(*group, ledger.rows) for group in _groups(ledger.rows)]
    goals = list(_goals(ledger.rows, missing, rows))
    return Result("realworld", 0, rows, goals, ("pytest", "ruff", "black", "mypy"), partly=len(ledger.rows) < ENOUGH)


def _chosen(again: str | None, rows: list[Row]) -> Iterator[tuple[Project, str]]:
    """One of each language in turn: what is ended early has seen them all."""
    have = {(row.project, row.name) for row in rows}
    wanted: dict[str, list[tuple[Project, str]]] = {}
    for project, name in cases():
        asked = again is not None and again in f"{project.name}-{name}"
        if asked or (project.title, name) not in have:
            wanted.setdefault(project.language.name, []).append((project, name))
    for turn in zip_longest(*wanted.values()):
        yield from (case for case in turn if case is not None)


async def _played(wanted: list[Missing], chosen: argparse.Namespace) -> AsyncIterator[Missing]:
    """Plays and keeps one case after the other; gives those of which nothing came."""
    until = time.monotonic() + 60 * chosen.minutes
    async with stage() as set_up:
        for one in wanted:
            if time.monotonic() > until:
                yield one
                continue
            try:
                async with asyncio.timeout(MAX_WAIT):
                    row = await play(set_up, one.project, one.name)
            except (NotHereError, AssertionError, TimeoutError) as error:  # no slip turns CI red, or Heal did not end
                print(f"{one.project.title} {one.name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
                yield replace(one, why=f"{type(error).__name__}: {error}")
            else:
                kept(chosen.report).with_more(Ledger([row])).keep(chosen.report)
                _tell(row)


def _tell(row: Row) -> None:
    print(f"{row.project} {row.name}: {row.end} ({row.seconds} s) {row.why}", file=sys.stderr, flush=True)


def _groups(rows: list[Row]) -> list[tuple[str, str]]:
    """(language, category) of each row of the table; empty means all."""
    languages = list(dict.fromkeys(row.language for row in rows))
    parts = sorted({(row.language, row.category) for row in rows}, key=lambda part: languages.index(part[0]))
    return [*parts, *((language, "") for language in languages), *([("", "")] if rows else [])]


async def _row(language: str, category: str, rows: list[Row]) -> dict[str, object]:
    mine = [row for row in rows if language in (row.language, "") and category in (row.category, "")]
    ends = Counter(row.end for row in mine)
    return {
        "language": f"{language} {_version(language)}".strip() or "all",
        "broken": category or "all",
        "cases": len(mine),
        **{END_COLUMNS[end]: ends[end] for end in ENDS},
        "same bytes": sum(row.exact for row in mine if row.free == "healed"),
        **await effort(mine),
    }


def _version(language: str) -> str:
    """Of the language's toolchain; empty for all of them."""
    return {project.language.name: project.language for project in PROJECTS}[language].toolchain() if language else ""


def _goals(rows: list[Row], missing: list[Missing], table: list[dict[str, object]]) -> Iterator[Goal]:
    wrong = sum(row.end == "wrong" for row in rows)
    yield Goal("cases", f">= {ENOUGH}", float(len(rows)), len(rows) >= ENOUGH)
    languages = len({row.language for row in rows})
    yield Goal("languages", ">= 5", float(languages), languages >= 5)
    yield Goal("nothing wrong is offered", "0", float(wrong), wrong == 0)
    reported = (
        f" ({'; '.join(f'{one.project.title} {one.name}: {one.why[:120]}' for one in missing)})" if missing else ""
    )
    yield Goal(f"cases that could not be played{reported}", "0", float(len(missing)), not missing)
    if table:
        ours, peer = float(str(table[-1]["$"])), float(str(table[-1]["peer $"]))
        share = round(ours / peer, 3) if peer else None
        yield Goal("dollars, of the peer's", "<= 0.5", share, share is not None and share <= 0.5)
