"""How long the App takes to have the environment of a check: built once by the workflow's own set-up step, then kept.

A workflow that installs 60 distributions of 40 modules each with pip, from an index on this machine with a certificate
of its own, through Heal's proxy; and the check after it. The first run builds the environment; the next ones are other
runs on other sources, with locks of their own, as in another process. Set-up is what a check took beyond its command.

Peer: the same `pip install` into a fresh virtual environment by hand, from the same index, as each CI job does it.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from benchmarks.shape import Goal, Result
from healing.checks.running import Checker
from healing.sandbox.company import read_company_settings
from healing.sandbox.indexes import own_indexes
from healing.sandbox.network import SetupNetwork
from healing.worktrees import Worktrees
from tests.checks.test_setup_network import found, seen
from tests.pipeline.bench import Bench, open_bench
from tests.sandbox.test_network import NAME, Index, open_index, pages_of

DISTRIBUTIONS, MODULES, REPEATS = 60, 40, 5
SECOND_SECONDS = 2.0
NAMES = tuple(f"heal_bench_{number}" for number in range(DISTRIBUTIONS))
REQUIREMENTS = "".join(f"{name.replace('_', '-')}==1.0\n" for name in NAMES)
TEST = "import unittest\nimport {name}\n\n\nclass Test(unittest.TestCase):\n    def test_it(self):\n"
TEST += "        self.assertEqual({name}.VALUE, 42)  # {number}\n"
WORKFLOW = """
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: pip install -r requirements.txt
      - run: python -m unittest -q
"""


async def measure() -> Result:
    """Seconds of set-up in a first run, and the median of those in further ones."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="heal-environments-")))
        bench = await asyncio.to_thread(stack.enter_context, open_bench())
        pages = {path: page for name in NAMES for path, page in pages_of(folder, name, MODULES).items()}
        index = await stack.enter_async_context(open_index(folder, pages))
        (folder / "authority.pem").write_text(index.certificate)
        by_hand = await asyncio.to_thread(_by_hand, folder, index)
        states = [_files(number) for number in range(1 + REPEATS)]
        trees = await asyncio.to_thread(bench.trees, *states)
        first, *later = [
            await _set_up(bench, tree, _network(index, folder), f"run{at}") for at, tree in enumerate(trees)
        ]
    second = statistics.median(later)
    rows = [
        {"what": "pip install by hand, into a fresh environment", "set-up s": round(by_hand, 2)},
        {"what": "Heal, the first run", "set-up s": round(first, 2)},
        {"what": f"Heal, the median of {REPEATS} further runs on other sources", "set-up s": round(second, 2)},
    ]
    name = f"set-up of a second run with {DISTRIBUTIONS} distributions"
    goal = Goal(name, f"<= {SECOND_SECONDS:g} s", round(second, 2), second <= SECOND_SECONDS)
    return Result("environments", 0, rows, [goal])


def _files(number: int) -> dict[str, str]:
    test = TEST.format(name=NAMES[0], number=number)
    return {".github/workflows/ci.yml": WORKFLOW, "requirements.txt": REQUIREMENTS, "test_it.py": test}


def _network(index: Index, folder: Path) -> SetupNetwork:
    """As an operator's environment names a company's index."""
    where = {"PIP_INDEX_URL": f"https://{NAME}:{index.port}/simple", "SSL_CERT_FILE": str(folder / "authority.pem")}
    return SetupNetwork(
        (NAME,), own_indexes(f"{NAME}:{index.port}=127.0.0.1"), company=read_company_settings(where, folder)
    )


async def _set_up(bench: Bench, tree: str, network: SetupNetwork, run: str) -> float:
    """What the check took beyond its command, in a run that shares nothing with others but the data folder."""
    worktrees = Worktrees(bench.data, bench.sandbox.owner)
    made: Checker = replace(bench.checker(tree), network=network, run_id=run, worktrees=worktrees)
    try:
        result = await seen(made, found(bench, tree), tree)
    finally:
        worktrees.close()
    if not result.green:
        raise RuntimeError(f"the check is not green: {result.problem or result.output[-2000:]}")
    return result.whole_seconds - result.seconds


def _by_hand(folder: Path, index: Index) -> float:
    """Seconds of a new environment and pip's work in it."""
    place, where = folder / "by-hand", f"https://127.0.0.1:{index.port}/simple"
    (folder / "requirements.txt").write_text(REQUIREMENTS)
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "PIP_CONFIG_FILE": os.devnull}
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "venv", place], check=True, env=env)
    pip = [str(place / "bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-cache-dir"]
    asked = ["--index-url", where, "--trusted-host", "127.0.0.1", "-r", str(folder / "requirements.txt")]
    subprocess.run([*pip, *asked], check=True, env=env)
    return time.monotonic() - began
