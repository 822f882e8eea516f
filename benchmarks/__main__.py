"""`python -m benchmarks NAME [--json]`; some have options of their own. `python -m benchmarks all`: one after another,
each within its time; one that fails stops no other, and the total time is told.

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
from datetime import UTC, datetime
from importlib import import_module
from pkgutil import iter_modules

import benchmarks
from benchmarks import keeping, scoreboard, written

NOT_ONE = {"__main__", "shape", "keeping", "scoreboard", "peers", "pictures", "written"}
NAMES = tuple(sorted(module.name for module in iter_modules(benchmarks.__path__) if module.name not in NOT_ONE))
MINUTES = 10.0  # of one benchmark, where it does not say otherwise
PARTS = ("only", "limit")  # options that leave a part


def main() -> int:
    """Runs one benchmark, or all, and prints the result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", choices=(*NAMES, "all"))
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    chosen, _ = parser.parse_known_args()
    return _all() if chosen.name == "all" else _one(parser, chosen)


def _one(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> int:
    module = import_module(f"benchmarks.{chosen.name}")
    if hasattr(module, "configure"):  # it has options of its own
        module.configure(parser)
        chosen = parser.parse_args()
        result = asyncio.run(module.measure(chosen))
    else:
        parser.parse_args()
        result = asyncio.run(module.measure())
    print(result.as_json() if chosen.json else result.as_table())
    if not result.partly and not any(getattr(chosen, part, None) for part in PARTS):
        file = keeping.keep(
            result.as_json(), inspect.getdoc(module) or "", keeping.RESULTS, datetime.now(tz=UTC).date()
        )
        scoreboard.write()
        written.write()
        print(f"kept in {file.relative_to(file.parents[2])}, shown in docs/scoreboard.md", file=sys.stderr)
    return 0


def _all() -> int:
    """Every benchmark, one after another; how each ended, and what all took."""
    began = time.monotonic()
    ended = [(label, *_bounded(argv, minutes)) for label, argv, minutes in _planned(NAMES)]
    for label, how, seconds in ended:
        print(f"{how:>12} {seconds:7.0f} s  {label}", file=sys.stderr)
    failed = [label for label, how, _ in ended if how != "kept"]
    print(f"{len(ended) - len(failed)} of {len(ended)} kept, {time.monotonic() - began:.0f} s", file=sys.stderr)
    if failed:
        print(f"Of {', '.join(failed)} the last kept figures stay.", file=sys.stderr)
    return 1 if failed else 0


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
