"""Tries patches of functions in place: in a fork of one pytest that has collected everything, so that one trial costs
little more than the failing tests do.

A plug-in for pytest and a plain file, like heal_tracer.py. `plan.json` in the folder that `HEAL_SEARCH` names lists
the failing tests and the patches: `[file, start, end, text, again]`, offsets in bytes; with `again` the file is also
run once more in its module, for what it does while it is imported. The result tells, for each patch that was tried,
whether every test passes with it, some doesn't, or it is in nothing that lives here (`elsewhere`).
"""

import gc
import json
import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

HERE = os.path.realpath(os.environ["HEAL_SEARCH"])
ROOT = os.path.dirname(HERE)
LEAST = 3.0  # seconds that the failing tests may take in one trial, at least
PASSES, FAILS, ELSEWHERE = 0, 1, 3  # exit codes of a child
WORDS = {PASSES: "passes", ELSEWHERE: "elsewhere"}
Key = tuple[str, int]


def _functions(path: str) -> list[FunctionType]:
    """The living functions whose code is in the file."""
    names: dict[str, bool] = {}
    found = []
    for thing in gc.get_objects():
        if type(thing) is FunctionType:
            name = thing.__code__.co_filename
            if name not in names:
                names[name] = os.path.realpath(name) == path
            if names[name]:
                found.append(thing)
    return found


def _codes(code: CodeType, after: int, shift: int, found: dict[Key, list[CodeType]]) -> None:
    """Every code object inside, by its name and the line on which it began before the patch."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            line = inner.co_firstlineno
            name = getattr(inner, "co_qualname", inner.co_name)
            found.setdefault((name, line - shift if line > after else line), []).append(inner)
            _codes(inner, after, shift, found)


def _put_in(functions: Sequence[FunctionType], path: str, patch: Sequence[Any]) -> bool:
    """Gives the living functions, and with `again` the module, the patched code. Whether anything changed."""
    _, start, end, text, again = patch
    with open(path, "rb") as file:
        whole = file.read()
    shift = text.count("\n") - whole[start:end].count(b"\n")
    new: dict[Key, list[CodeType]] = {}
    code = compile(whole[:start] + text.encode() + whole[end:], path, "exec", dont_inherit=True)
    _codes(code, whole[:start].count(b"\n") + 1, shift, new)
    changed = False
    for function in functions:
        old = function.__code__
        meant = new.get((getattr(old, "co_qualname", old.co_name), old.co_firstlineno), [])
        if len(meant) == 1 and _differ(old, meant[0]):
            try:
                function.__code__ = meant[0]
            except ValueError:
                return False  # it takes other variables from around it, as `super()` does: only an import makes such
            changed = True
    return (_run_again(path, code) if again else False) or changed


def _run_again(path: str, code: CodeType) -> bool:
    """Runs a file in its module; what other modules took from it by name, they take again. Whether it was imported."""
    modules = [module for module in list(sys.modules.values()) if isinstance(module, ModuleType)]
    ours = [(module, os.path.realpath(getattr(module, "__file__", None) or os.sep)) for module in modules]
    mine = [module for module, place in ours if place == path]
    for module in mine:
        before = dict(vars(module))
        exec(code, vars(module))  # noqa: S102 - it is what an import does
        for other, place in ours:
            if place.startswith(ROOT + os.sep) and other is not module:
                taken = vars(other)
                same = [n for n, v in taken.items() if not n.startswith("__") and n in before and before[n] is v]
                taken.update({name: vars(module)[name] for name in same if name in vars(module)})
    return bool(mine)


def _differ(old: CodeType, new: CodeType) -> bool:
    """Whether they do something else, wherever their lines are."""
    if old.co_code != new.co_code or old.co_names != new.co_names or len(old.co_consts) != len(new.co_consts):
        return True
    for one, other in zip(old.co_consts, new.co_consts, strict=True):
        if isinstance(one, CodeType) and isinstance(other, CodeType):
            if _differ(one, other):
                return True
        elif type(one) is not type(other) or repr(one) != repr(other):
            return True
    return False


def _all_pass(session: pytest.Session, items: Sequence[pytest.Item]) -> bool:
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return False
    return True


def _silence() -> None:
    """Nothing that a trial prints is wanted, on whichever of its descriptors."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        results = os.fstat(stream)
        for name in os.listdir("/proc/self/fd"):
            try:
                if os.path.samestat(os.fstat(int(name)), results):
                    os.dup2(null, int(name))
            except OSError:
                continue  # it was the listing's own
        os.dup2(null, stream)


class Trials:
    """The trials of one session: the failing tests first, then all others."""

    def __init__(self, session: pytest.Session, plan: dict[str, Any]) -> None:
        wanted = set(plan["failing"])
        self.session = session
        self.seconds = float(plan["seconds"])
        self.whole = float(plan["whole"])
        self.patches: list[Any] = plan["patches"]
        self.red = [item for item in session.items if item.nodeid in wanted]
        self.rest = [item for item in session.items if item.nodeid not in wanted]
        self.functions: dict[str, list[FunctionType]] = {}
        self.allowed = 20.0

    def run(self) -> dict[str, Any]:
        """What is to be written."""
        began = time.monotonic()
        if not self.red or self._trial(None) != FAILS:
            return {"tried": []}
        self.allowed = max(LEAST, 5 * (time.monotonic() - began))
        results: list[str] = []
        for patch in self.patches:
            if time.monotonic() - began > self.seconds:
                break
            results.append(WORDS.get(self._trial(patch), "fails"))
        return {"tried": results, "seconds": round(time.monotonic() - began, 3)}

    def _trial(self, patch: Sequence[Any] | None) -> int:
        path = os.path.join(ROOT, patch[0]) if patch else ""
        if patch and path not in self.functions:
            self.functions[path] = _functions(path)
            gc.freeze()
        reading, writing = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if not pid:
            self._child(path, patch, writing)
        os.close(writing)
        code = _wait(pid, reading, self.allowed, self.whole)
        os.close(reading)
        return code

    def _child(self, path: str, patch: Sequence[Any] | None, writing: int) -> None:
        """Never returns."""
        code = FAILS
        try:
            os.setsid()
            _silence()
            if patch and not _put_in(self.functions[path], path, patch):
                code = ELSEWHERE
            elif _all_pass(self.session, self.red):
                os.write(writing, b".")
                code = PASSES if _all_pass(self.session, self.rest) else FAILS
        finally:
            os._exit(code)  # whatever was raised: nothing of the parent's may go on here


def _wait(pid: int, reading: int, seconds: float, more: float) -> int:
    """The child's exit code; one that takes too long has failed. A word of it gives it `more` seconds, once."""
    end = time.monotonic() + seconds
    spoken = False
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if select.select([] if spoken else [reading], [], [], 0.002)[0]:
            if os.read(reading, 1):
                end = time.monotonic() + more
            spoken = True
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return FAILS


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """In place of running the tests once."""
    with open(os.path.join(HERE, "plan.json")) as file:
        plan = json.load(file)
    results = Trials(session, plan).run()
    with open(os.path.join(HERE, "result.json"), "w") as file:
        json.dump(results, file)
    os._exit(0)
