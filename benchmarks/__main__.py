"""`python -m benchmarks NAME [--json]`; some have options of their own. `python -m benchmarks all`: one after another.

A benchmark that was measured whole is kept in benchmarks/results, and docs/scoreboard.md is written anew from what is
kept there. What an option leaves a part of (`--only`, `--limit`) is printed and not kept.
"""

import argparse
import asyncio
import inspect
import subprocess
import sys
from datetime import UTC, datetime
from importlib import import_module
from pkgutil import iter_modules

import benchmarks
from benchmarks import keeping, scoreboard

NOT_ONE = {"__main__", "shape", "keeping", "scoreboard", "pictures"}
NAMES = tuple(sorted(module.name for module in iter_modules(benchmarks.__path__) if module.name not in NOT_ONE))
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
        print(f"kept in {file.relative_to(file.parents[2])}, shown in docs/scoreboard.md", file=sys.stderr)
    return 0


def _all() -> int:
    """Each in a process of its own, so that none stands in another's memory. One that fails is named at the end."""
    failed = []
    for name in NAMES:
        for options in getattr(import_module(f"benchmarks.{name}"), "ALL", ((),)):
            print(f"── {name} {' '.join(options)}", file=sys.stderr, flush=True)
            if subprocess.run([sys.executable, "-m", "benchmarks", name, *options], check=False).returncode:
                failed.append(name)
    if failed:
        print(f"These did not come to an end: {', '.join(failed)}. Their last kept figures stay.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
