"""`python -m benchmarks NAME [--json]`; some have options of their own.

`python -m benchmarks all [NAME …] [--since DAY]`: all, or those named, one after another, each within its time. What it
will take is told before, how each ended after; one that fails stops no other. What is kept already of DAY
(YYYY-MM-DD) or later is left out: so what was broken off goes on.

A benchmark that was measured whole is kept in benchmarks/results, and docs/scoreboard.md is written anew from what is
kept there. What an option leaves a part of (`--only`, `--limit`) is printed and not kept.
"""

import argparse
import asyncio
import contextlib
import inspect
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import benchmarks
from benchmarks import keeping, scoreboard, written

NOT_ONE = {"__main__", "shape", "keeping", "scoreboard", "peers", "pictures", "written"}
NAMES = tuple(sorted(module.name for module in iter_modules(benchmarks.__path__) if module.name not in NOT_ONE))
MINUTES = 10.0  # of one benchmark, where it does not say otherwise
PARTS = ("only", "limit")  # options that leave a part


def main() -> int:
    """Runs one benchmark, or all, and prints the result."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=(*NAMES, "all"))
    chosen, _ = parser.parse_known_args()
    if chosen.name == "all":
        parser.add_argument("some", nargs="*", choices=(*NAMES, []), metavar="NAME", help="of all, just these")
        parser.add_argument("--since", type=date.fromisoformat, metavar="DAY", help="leave out what is kept of it")
        chosen = parser.parse_args()
        return _all(_left(chosen.some or NAMES, chosen.since, keeping.kept()))
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    return _one(parser, parser.parse_known_args()[0])


def _one(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> int:
    module = import_module(f"benchmarks.{chosen.name}")
    began = time.monotonic()
    if hasattr(module, "configure"):  # it has options of its own
        module.configure(parser)
        chosen = parser.parse_args()
        result = asyncio.run(module.measure(chosen))
    else:
        parser.parse_args()
        result = asyncio.run(module.measure())
    print(result.as_json() if chosen.json else result.as_table())
    if not result.partly and not any(getattr(chosen, part, None) for part in PARTS):
        today, took = datetime.now(tz=UTC).date(), time.monotonic() - began
        file = keeping.keep(result.as_json(), inspect.getdoc(module) or "", keeping.RESULTS, today, took)
        scoreboard.write()
        written.write()
        print(f"kept in {file.relative_to(file.parents[2])}, shown in docs/scoreboard.md", file=sys.stderr)
    return 0


def _left(names: Iterable[str], since: date | None, kept: list[dict[str, Any]]) -> list[str]:
    """The names of which nothing is kept since that day."""
    done = [one["name"] for one in kept if since is not None and date.fromisoformat(one["date"]) >= since]
    # What was measured on a set of cases carries the set in its name (`keeping.name_of`).
    return [name for name in names if not any(one == name or one.startswith(f"{name}-") for one in done)]


def _all(names: list[str]) -> int:
    """One after another; what they may take, how each ended, and what all took."""
    began, plans = time.monotonic(), list(_planned(names))
    print(_expected(plans, keeping.kept()), file=sys.stderr)
    ended = [(label, *_bounded(argv, minutes)) for label, argv, minutes in plans]
    for label, how, seconds in ended:
        print(f"{how:>12} {seconds:7.0f} s  {label}", file=sys.stderr)
    failed = [label for label, how, _ in ended if how != "kept"]
    print(f"{len(ended) - len(failed)} of {len(ended)} kept, {time.monotonic() - began:.0f} s", file=sys.stderr)
    if failed:
        print(f"Of {', '.join(failed)} the last kept figures stay.", file=sys.stderr)
    return 1 if failed else 0


def _expected(plans: list[tuple[str, list[str], float]], kept: list[dict[str, Any]]) -> str:
    """How long it will be: as it was when it was kept, and at most."""
    took = {one["name"]: one["took"] / 60 for one in kept if one.get("took")}
    known = [took[label.split()[0]] for label, _, _ in plans if label.split()[0] in took]
    last = f"{sum(known):.0f} minutes when last kept ({len(known)} of them known), " if known else ""
    return f"{len(plans)} benchmarks: {last}{sum(minutes for *_, minutes in plans):.0f} minutes at most"


def _planned(names: Iterable[str]) -> Iterator[tuple[str, list[str], float]]:
    """(label, command, minutes) of each. A module says by `ALL` with which options, by `MINUTES` how long at most."""
    for name in names:
        try:
            module = import_module(f"benchmarks.{name}")
        except ImportError:
            module = None  # its own process will say so
        planned = getattr(module, "ALL", ((),))
        if not planned:
            print(f"── {name}: left out, its module says what it needs", file=sys.stderr)
        for options in planned:
            argv = [sys.executable, "-m", "benchmarks", name, *options]
            yield " ".join((name, *options)), argv, getattr(module, "MINUTES", MINUTES)


def _bounded(argv: list[str], minutes: float) -> tuple[str, float]:
    """(how it ended, seconds). A process of its own, so that none stands in another's memory or waits for it; with it
    ends all that it started."""
    print(f"── {' '.join(argv[3:])} (at most {minutes:g} minutes)", file=sys.stderr, flush=True)
    began = time.monotonic()
    with subprocess.Popen(argv, start_new_session=True) as running:
        try:
            how = "failed" if running.wait(60 * minutes) else "kept"
        except subprocess.TimeoutExpired:
            how = "out of time"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
    return how, time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
