"""A small Heal under siege: `python siege.py DATA BACK_END` reads jobs from standard input, runs each in a fresh
worktree, and says what came out. Imports nothing outside of the standard library but Heal's sandbox.

In: {"all": bool, "told": {…}, "jobs": [{"name", "program", "attempts": [[name, promise, script]…], "limits": {…}}]}
Out: {"back_end", "promises": […], "tried": […], "results": [{"name", "exit", "why", "output"}]}
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from healing.sandbox.interpreter import Interpreter, find_interpreter
from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.owner import hand_over, sandbox_owner
from healing.sandbox.probe import probe
from healing.sandbox.removal import remove_tree


async def main(data: Path, name: str) -> None:
    given = json.load(sys.stdin)
    looked = await probe(data, name)  # type: ignore[arg-type]
    sandbox = looked.sandbox
    if sandbox is None:
        sys.exit(f"no sandbox: {looked.tried}")
    interpreter = await find_interpreter(data, sandbox_owner())
    own = sandbox.name == "bubblewrap"
    told = {**given["told"], "heal_pid": os.getpid(), "own_loopback": own, "own_processes": own}
    told["pids"] = [*told["pids"], os.getpid(), os.getppid()]
    held = None if given["all"] else sandbox.promises
    results = [await besieged(sandbox, interpreter, data, told, held, job) for job in given["jobs"]]
    tried = [[one.name, one.ok, one.why] for one in looked.tried]
    said = {"back_end": sandbox.name, "promises": sorted(sandbox.promises), "tried": tried, "results": results}
    print(json.dumps(said))


async def besieged(
    sandbox: Sandbox,
    interpreter: Interpreter,
    data: Path,
    told: dict[str, Any],
    held: frozenset[str] | None,
    job: dict[str, Any],
) -> dict[str, Any]:
    """Runs one job; of its attempts only those against what the back end promises."""
    names = {"", *(held or ())}
    wanted = [[name, script] for name, promise, script in job["attempts"] if held is None or promise in names]
    root = Path(tempfile.mkdtemp(prefix="worktree-", dir=data))
    hand_over(root, sandbox.owner)
    argv = (str(interpreter.path), "-c", job["program"], json.dumps(told), json.dumps(wanted))
    limits = Limits(**{"seconds": 120, **job.get("limits", {})})
    ended = await sandbox.run(Job(argv, root, env=interpreter.env, readable=interpreter.readable, limits=limits))
    remove_tree(root)
    output = ended.output.decode(errors="replace")
    return {"name": job["name"], "exit": ended.exit_code, "why": ended.why, "output": output}


asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
