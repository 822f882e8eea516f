"""Snapshot tools: where their snapshots are, and how to make them update."""

import ast
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from healing.checks.check import Check, Script
from healing.checks.narrow import narrow
from healing.checks.narrowing.words import called, simple
from healing.checks.spelled_out import spelled_out
from healing.graph.python.syntax import parse
from healing.model import CIError
from healing.view import TreeView

INLINE = re.compile(rb"\binline_snapshot\b")
PYTEST, CARGO = "pytest", ("cargo-test", "cargo", "nextest", "insta")


@dataclass(frozen=True)
class SnapshotTool:
    """`keeps` matches its snapshots' paths; None: they are in the test files. `env` makes it write them, or else `flag`
    does, appended to its own command."""

    name: str
    reported_by: tuple[str, ...]  # tools whose failing tests may compare with its snapshots
    keeps: re.Pattern[str] | None
    env: tuple[tuple[str, str], ...] = ()
    flag: tuple[str, str] | None = None  # (the program, its argument)

    def files(self, view: TreeView, errors: Iterable[CIError]) -> tuple[str, ...]:
        """The existing snapshots; empty where the repository doesn't use the tool."""
        if self.keeps is not None:
            return tuple(path for path in view.paths() if self.keeps.search(path))
        tests = sorted({e.test.partition("::")[0] for e in errors if e.test})
        return tuple(path for path in tests if INLINE.search(view.read(path) or b""))

    def script(self, check: Check, errors: tuple[CIError, ...], view: TreeView) -> Script | None:
        """The check's step in update mode, for the failing tests only where it can be narrowed; None where the command
        can't be changed that way."""
        narrowed = narrow(check, errors, read=view.read)
        step = (narrowed or check).step
        run = step.run if self.flag is None else _with_flag(check.step, narrowed, self.flag, view)
        if run is None:
            return None
        exports = "".join(f"export {name}={value}\n" for name, value in self.env)
        return step.model_copy(update={"run": exports + run})

    def only(self, old: bytes, new: bytes) -> bool:
        """Whether only snapshots changed in a file of its own."""
        return self.keeps is not None or _same_but_snapshots(old, new)


def _with_flag(step: Script, narrowed: Check | None, flag: tuple[str, str], view: TreeView) -> str | None:
    """The step's single command, or what it was narrowed to, with the flag appended; None where it calls something
    else."""
    words = simple(step.run)
    words = spelled_out(words, step.cwd, view.read, step.env) if words else None
    if words is None or called(words)[0] != flag[0]:
        return None
    return shlex.join([*(shlex.split(narrowed.step.run) if narrowed else words), flag[1]])


def _pytest(output: str) -> tuple[tuple[str, str], ...]:
    return (("PYTEST_ADDOPTS", f'"$PYTEST_ADDOPTS {output}"'),)


AMBER = re.compile(r"(?:^|/)__snapshots__/.{1,300}\.(?:ambr|raw|json|svg)$")
SNAP = re.compile(r"(?:^|/)__snapshots__/.{1,300}\.snap$")
INSTA = re.compile(r"(?:^|/)snapshots/.{1,300}\.snap$")
TOOLS: tuple[SnapshotTool, ...] = (
    SnapshotTool("syrupy", (PYTEST,), AMBER, _pytest("--snapshot-update")),
    SnapshotTool("inline-snapshot", (PYTEST,), None, _pytest("--inline-snapshot=fix")),
    SnapshotTool("jest", ("jest",), SNAP, flag=("jest", "-u")),
    SnapshotTool("vitest", ("vitest",), SNAP, flag=("vitest", "-u")),
    SnapshotTool("insta", CARGO, INSTA, (("INSTA_UPDATE", "always"), ("INSTA_FORCE_PASS", "1"))),
)


class _Blank(ast.NodeTransformer):
    """Removes the arguments of calls of `snapshot`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("snapshot", "Snapshot"):
            return ast.Call(func=node.func, args=[], keywords=[])
        return node


def _same_but_snapshots(old: bytes, new: bytes) -> bool:
    trees = (parse(old), parse(new))
    was, now = (ast.dump(_Blank().visit(tree)) if tree else None for tree in trees)
    return was is not None and was == now
