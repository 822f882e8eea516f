"""A small Heal of its own for the tests: `python flooder.py DATA BACK_END` reads a job as JSON from standard input,
runs it in a fresh worktree and prints how it ended. Imports nothing outside of the standard library but Heal's sandbox.

In: {"script", "memory_bytes", "groups": whether control groups may be used, "root": a worktree or null}
Out: {"grouped", "exit", "why", "output"}
"""

import asyncio
import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from healing.process.owner import hand_over
from healing.sandbox.bubblewrap import Bubblewrap
from healing.sandbox.interpreter import find_interpreter
from healing.sandbox.job import Job, Limits
from healing.sandbox.landlock import Landlock
from healing.sandbox.probe import probe


async def main(data: Path, name: str) -> None:
    given = json.load(sys.stdin)
    sandbox = (await probe(data, name)).sandbox  # type: ignore[arg-type]
    if not isinstance(sandbox, Bubblewrap | Landlock):
        sys.exit("no sandbox")
    sandbox = sandbox if given["groups"] else replace(sandbox, groups=None)
    python = await find_interpreter(data, sandbox.owner)
    root = Path(given["root"] or tempfile.mkdtemp(prefix="worktree-", dir=data))
    hand_over(root, sandbox.owner)
    limits = Limits(seconds=120, memory_bytes=given["memory_bytes"])
    argv = (str(python.path), "-I", "-S", "-c", given["script"])
    ended = await sandbox.run(Job(argv, root, env=python.env, readable=python.readable, limits=limits))
    output = ended.output.decode(errors="replace")
    printed = {"grouped": sandbox.groups is not None, "exit": ended.exit_code, "why": ended.why, "output": output}
    print(json.dumps(printed))


asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
