"""A small Heal under siege: `python siege.py DATA BACK_END` reads jobs from standard input, runs each in a fresh
worktree, and says what came out. Imports nothing outside of the standard library but Heal's sandbox.

In: {"all": bool, "layered": bool, "told": {…}, "jobs": [{"name", "program", "attempts": [[name, promise, script]…]}]}
Out: {"back_end", "layered", "promises": […], "tried": […], "results": [{"name", "exit", "why", "output"}]}
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from healing.files.removal import remove_tree
from healing.process.owner import hand_over, sandbox_owner
from healing.sandbox.interpreter import Interpreter, find_interpreter
from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.layers import Layers
from healing.sandbox.probe import probe

BASE = {"shared": "shared", "other": "other"}


async def main(data: Path, name: str) -> None:
    given = json.load(sys.stdin)
    looked = await probe(data, name)  # type: ignore[arg-type]
    sandbox = looked.sandbox
    if sandbox is None:
        sys.exit(f"no sandbox: {looked.tried}")
    interpreter = await find_interpreter(data, sandbox_owner())
    own = sandbox.name == "bubblewrap"
    reported = {**given["told"], "heal_pid": os.getpid(), "own_loopback": own, "own_processes": own}
    reported["pids"] = [*reported["pids"], os.getpid(), os.getppid()]
    held = None if given["all"] else sandbox.promises
    base = base_of(data, sandbox) if given["layered"] and sandbox.layered else None
    reported["base"] = str(base)
    results = [await besieged(sandbox, interpreter, data, reported, held, job, base) for job in given["jobs"]]
    if base and {path.name: path.read_text() for path in base.iterdir()} != BASE:
        sys.exit(f"the base was changed: {list(base.iterdir())}")
    tried = [[one.name, one.ok, one.why] for one in looked.tried]
    output = {
        "back_end": sandbox.name,
        "layered": base is not None,
        "promises": sorted(sandbox.promises),
        "tried": tried,
        "results": results,
    }
    print(json.dumps(output))


def base_of(data: Path, sandbox: Sandbox) -> Path:
    """What the worktrees of all jobs lie over."""
    base = data / "base"
    base.mkdir()
    hand_over(base, sandbox.owner)
    for name, text in BASE.items():
        (base / name).write_text(text)
        hand_over(base / name, sandbox.owner)
    return base


def layers_over(base: Path, root: Path, sandbox: Sandbox) -> Layers:
    """The same for one worktree."""
    layers = Layers(base, root.with_name(root.name + ".work"), root.with_name(root.name + ".joined"))
    for folder in (layers.work, layers.joined):
        folder.mkdir()
        hand_over(folder, sandbox.owner)
    return layers


async def besieged(
    sandbox: Sandbox,
    interpreter: Interpreter,
    data: Path,
    reported: dict[str, Any],
    held: frozenset[str] | None,
    job: dict[str, Any],
    base: Path | None,
) -> dict[str, Any]:
    """Runs one job; of its attempts only those against what the back end promises."""
    names = {"", *(held or ())}
    wanted = [[name, script] for name, promise, script in job["attempts"] if held is None or promise in names]
    root = Path(tempfile.mkdtemp(prefix="worktree-", dir=data))
    hand_over(root, sandbox.owner)
    layers = layers_over(base, root, sandbox) if base else None
    argv = (str(interpreter.path), "-c", job["program"], json.dumps(reported), json.dumps(wanted))
    limits = Limits(seconds=120)
    shown = interpreter.readable
    ended = await sandbox.run(Job(argv, root, env=interpreter.env, readable=shown, limits=limits, layers=layers))
    for folder in (root, *((layers.work, layers.joined) if layers else ())):
        remove_tree(folder)
    output = ended.output.decode(errors="replace")
    return {"name": job["name"], "exit": ended.exit_code, "why": ended.why, "output": output}


asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
