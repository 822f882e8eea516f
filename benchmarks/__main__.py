"""`python -m benchmarks NAME [--json]`; some have options of their own."""

import argparse
import asyncio
import sys
from importlib import import_module
from pkgutil import iter_modules

import benchmarks

NOT_ONE = {"__main__", "shape"}
NAMES = tuple(sorted(module.name for module in iter_modules(benchmarks.__path__) if module.name not in NOT_ONE))


def main() -> int:
    """Runs one benchmark and prints its result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    chosen, _ = parser.parse_known_args()
    module = import_module(f"benchmarks.{chosen.name}")
    if hasattr(module, "configure"):  # it has options of its own
        module.configure(parser)
        result = asyncio.run(module.measure(parser.parse_args()))
    else:
        parser.parse_args()
        result = asyncio.run(module.measure())
    print(result.as_json() if chosen.json else result.as_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
