"""Tries patches of functions in place, in forks of one pytest process that has collected everything, so that a trial
costs little more than the failing tests do.

A pytest plug-in in a plain file, like heal_tracer.py. `plan.json` in the folder `HEAL_SEARCH` lists the failing tests
and the patches: `[file, start, end, text, again]`, offsets in bytes; with `again` the file is also executed again in
its module, for code that runs at import. The result says, for each patch that was tried, whether every test passes with
it, some test fails, or it affects no function in memory (`elsewhere`).
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
LEAST = 3.0  # minimum seconds for the failing tests in one trial
PASSES, FAILS, ELSEWHERE = 0, 1, 3  # exit codes of a child
WORDS = {PASSES: "passes", ELSEWHERE: "elsewhere"}
Key = tuple[str, int]


def _functions(path: str) -> list[FunctionType]:
    """The function objects in memory whose code is in the file."""
    names: dict[str, bool] = {}
    functions = []
    for candidate in gc.get_objects():
        if type(candidate) is FunctionType:
            name = candidate.__code__.co_filename
            if name not in names:
                names[name] = os.path.realpath(name) == path
            if names[name]:
                functions.append(candidate)
    return functions


def _codes(code: CodeType, after: int, shift: int, found: dict[Key, list[CodeType]]) -> None:
    """Collects every code object inside, by its name and the line on which it began before the patch."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            line = inner.co_firstlineno
            name = getattr(inner, "co_qualname", inner.co_name)
            found.setdefault((name, line - shift if line > after else line), []).append(inner)
            _codes(inner, after, shift, found)


def _put_in(functions: Sequence[FunctionType], path: str, patch: Sequence[Any]) -> bool:
    """Replaces the code of the functions in memory and, with `again`, runs the module again. Returns whether anything
    changed."""
    _, start, end, text, again = patch
    with open(path, "rb") as file:
        whole = file.read()
    shift = text.count("\n") - whole[start:end].count(b"\n")
    patched: dict[Key, list[CodeType]] = {}
    code = compile(whole[:start] + text.encode() + whole[end:], path, "exec", dont_inherit=True)
    _codes(code, whole[:start].count(b"\n") + 1, shift, patched)
    changed = False
    for function in functions:
        old = function.__code__
        matching = patched.get((getattr(old, "co_qualname", old.co_name), old.co_firstlineno), [])
        if len(matching) == 1 and _differ(old, matching[0]):
            try:
                function.__code__ = matching[0]
            except ValueError:
                return False  # it has other free variables, as with `super()`: only an import creates those
            changed = True
    return (_run_again(path, code) if again else False) or changed


def _run_again(path: str, code: CodeType) -> bool:
    """Executes a file again in its module, and updates names that other modules imported from it. Returns whether it
    was imported."""
    modules = [module for module in list(sys.modules.values()) if isinstance(module, ModuleType)]
    with_paths = [(module, os.path.realpath(getattr(module, "__file__", None) or os.sep)) for module in modules]
    own_modules = [module for module, place in with_paths if place == path]
    for module in own_modules:
        before = dict(vars(module))
        exec(code, vars(module))  # noqa: S102 - an import does the same
        for other, place in with_paths:
            if place.startswith(ROOT + os.sep) and other is not module:
                namespace = vars(other)
                same = [n for n, v in namespace.items() if not n.startswith("__") and n in before and before[n] is v]
                namespace.update({name: vars(module)[name] for name in same if name in vars(module)})
    return bool(own_modules)


def _differ(old: CodeType, new: CodeType) -> bool:
    """Whether they behave differently, whatever their line numbers."""
    if old.co_code != new.co_code or old.co_names != new.co_names or len(old.co_consts) != len(new.co_consts):
        return True
    for a, b in zip(old.co_consts, new.co_consts, strict=True):
        if isinstance(a, CodeType) and isinstance(b, CodeType):
            if _differ(a, b):
                return True
        elif type(a) is not type(b) or repr(a) != repr(b):
            return True
    return False


def _all_pass(session: pytest.Session, items: Sequence[pytest.Item]) -> bool:
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return False
    return True


def _silence() -> None:
    """Discards a trial's output on all descriptors that refer to stdout or stderr."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        target = os.fstat(stream)
        for name in os.listdir("/proc/self/fd"):
            try:
                if os.path.samestat(os.fstat(int(name)), target):
                    os.dup2(null, int(name))
            except OSError:
                continue  # the descriptor of the listing itself
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
        """The result to write."""
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
        """Runs one trial in the child process; never returns."""
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
            os._exit(code)  # even after an exception, the parent's code must not continue here


def _wait(pid: int, reading: int, seconds: float, more: float) -> int:
    """The child's exit code; one that takes too long has failed. A byte from it grants `more` seconds, once."""
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
    """Replaces the single run of the tests."""
    with open(os.path.join(HERE, "plan.json")) as file:
        plan = json.load(file)
    results = Trials(session, plan).run()
    with open(os.path.join(HERE, "result.json"), "w") as file:
        json.dump(results, file)
    os._exit(0)
