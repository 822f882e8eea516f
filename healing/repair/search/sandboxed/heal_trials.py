"""Tries patches one after another: each in a fork of one warm process that continues as the requested pytest.

A pytest plug-in in a plain file, like heal_tracer.py. `plan.json` in the folder `HEAL_SEARCH` lists the patches:
`[file, start, end, text]`, offsets in bytes, and each one's minimum seconds. The result names those with which pytest
exits with 0.
"""

import contextlib
import importlib
import json
import os
import signal
import sys
import time
from typing import Any

HERE = os.path.realpath(os.environ["HEAL_SEARCH"])
ROOT = os.path.dirname(HERE) + os.sep
LIMIT = 60.0  # seconds for the untouched code, which stops at its first failing test


def _warm(modules: list[str]) -> None:
    """Imports the third-party modules that the tests need; repository modules imported along the way are dropped
    again."""
    for name in modules:
        with contextlib.suppress(Exception):  # modules that can't be imported alone are left to the tests
            importlib.import_module(name)
    for name, module in list(sys.modules.items()):
        place = getattr(module, "__file__", None)
        if isinstance(place, str) and os.path.realpath(place).startswith(ROOT) and not place.startswith(HERE):
            del sys.modules[name]


def _write(place: str, data: bytes, moment: int) -> None:
    """Writes one version with a unique modification time, so that compiled code of another version isn't used for
    it."""
    with open(place, "wb") as file:
        file.write(data)
    os.utime(place, (moment, moment))


def _wait(pid: int, seconds: float) -> int | None:
    """The child's exit code; None where it had to be killed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.004)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def _trial(seconds: float) -> tuple[bool, int | None]:
    """(whether this is the child, otherwise its exit code)."""
    pid = os.fork()
    if pid:
        return False, _wait(pid, seconds)
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    return True, None


def _serve(plan: dict[str, Any]) -> bool:
    """Returns whether this is a child: then the import of this file ends, and pytest continues with the patch in
    place."""
    began = time.monotonic()
    child, code = _trial(LIMIT)
    if child:
        return True
    allowed = max(plan["least"], 4 * (time.monotonic() - began))
    survivors: list[int] = []
    tried = 0
    for number, (name, start, end, text) in enumerate(plan["patches"] if code else ()):
        if time.monotonic() - began > plan["seconds"]:
            break
        place = os.path.join(ROOT, name)
        with open(place, "rb") as file:
            whole = file.read()
        _write(place, whole[:start] + text.encode() + whole[end:], 1_000_000_000 + number)
        child, code = _trial(allowed)
        if child:
            return True
        _write(place, whole, 999_999_999)
        tried += 1
        if code == 0:
            survivors.append(number)
    report = {"tried": tried, "survivors": survivors, "seconds": round(time.monotonic() - began, 3)}
    with open(os.path.join(HERE, "result.json"), "w") as file:
        json.dump(report, file)
    return False


def _main() -> None:
    with open(os.path.join(HERE, "plan.json")) as file:
        plan = json.load(file)
    sys.dont_write_bytecode = False  # so that the second trial finds the tests compiled
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    _warm(plan["modules"])
    if not _serve(plan):
        os._exit(0)


_main()
