"""A check that hangs, forks, floods its output, takes all memory or deletes its own worktree: the run says so, and
leaves nothing."""

import os
from pathlib import Path

import pytest

from tests.git.oracle import word
from tests.pipeline.bench import Bench, red_job

MARKER = f"heal_hostile_check_{os.getpid()}"
WORKFLOW = """
on: push
jobs:
  tests:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: python -m unittest -q {marker}
        timeout-minutes: {minutes}
"""
HOSTILE = {
    "hangs": "import time\ntime.sleep(600)\n",
    "forks": "import os, time\nwhile True:\n    os.fork() or time.sleep(600)\n",
    "floods its output": "import sys\nfor _ in range(30):\n    print('x' * (1 << 20))\nsys.exit(3)\n",
    "takes all memory": "import os, time\nos.fork()\nos.fork()\nkept = b'x' * (900 << 20)\ntime.sleep(600)\n",
    "deletes its own worktree": "import os, shutil, sys\nshutil.rmtree(os.getcwd(), ignore_errors=True)\nsys.exit(3)\n",
}
LIMITS = {"hangs": "time limit 3 s", "takes all memory": "memory limit 2048 MiB"}


def traces(bench: Bench) -> dict[str, list[str]]:
    """Worktrees, processes, mounts and refs that there are."""
    processes = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes()
        except OSError:
            continue
        if MARKER.encode() in words:
            processes.append(words.decode(errors="replace"))
    return {
        "worktrees": sorted(str(path) for path in (bench.data / "trees").glob("*/*")),
        "processes": processes,
        "mounts": [line for line in Path("/proc/mounts").read_text().splitlines() if str(bench.data) in line],
        "refs": word(bench.git.path, "for-each-ref").splitlines(),
    }


# WT-5 WT-6 CK-7
@pytest.mark.parametrize("how", HOSTILE)
async def test_a_check_that_does_its_worst_is_told_of_and_leaves_nothing(bench: Bench, how: str) -> None:
    minutes = 0.05 if how in ("hangs", "forks") else 1
    workflow = WORKFLOW.format(marker=MARKER, minutes=minutes)
    code = {f"{MARKER}.py": HOSTILE[how]}
    base, head = bench.trees({"a.py": "a = 1\n", ".github/workflows/ci.yml": workflow}, code)
    before = traces(bench)
    jobs = (red_job("tests", (f"Run python -m unittest -q {MARKER}", "failure")),)
    outcome = await bench.heal_trees(base, head, code, jobs=jobs)
    assert traces(bench) == before
    assert outcome.proposals == ()
    if how in LIMITS:
        assert [one.why for one in outcome.not_looked] == [f"it did not end here ({LIMITS[how]})"]
    else:
        assert outcome.verdict == "not-healed"
        assert [one.how.partition(":")[0] for one in outcome.resolutions] == ["unfixable"]
