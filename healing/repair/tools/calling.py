"""Runs the repo's tools in a sandboxed worktree, after the set-up of the check that showed the errors to fix.

A tool's result is a durable step: its edits in the files that it was meant for, and its output. It is not trusted; the
caller submits it to the verifier.
"""

import asyncio
import re
from textwrap import shorten

from healing.checks.check import Check, Script
from healing.checks.running import Checker, OutOfMinutes
from healing.edits.exact import EditError, edits_between
from healing.git import Git, GitError
from healing.model import CIError, Edit, Frozen
from healing.repair.tools.call import Call
from healing.verify.verifier import Verifier

SECONDS = 120.0
ANSWER = ".heal-answer"  # where a tool's standard output is stored in the worktree
MAX_ANSWER = 4 << 20  # bytes
UNNAMED = re.compile(r"[^\w.-]")  # what stays out of a worktree's name
SHOWN = 3  # files named in a flag about other changes
# Files that a set-up step writes: the tool that runs after it did not change them.
LOCKED = re.compile(r"(?:^|[./-])lock(?:\.json|\.ya?ml|b)?\Z|-lock\.[a-z]{2,5}\Z|shrinkwrap\.json\Z|go\.sum\Z")

ERROR = re.compile(r"^(?:\S{1,80}: )?(?:fatal )?error\b", re.M | re.I)  # warnings may stand before it


class Called(Frozen):
    """The result of the calls. `why` is set where they failed: the reason, in one line; `absent` if that is a missing
    program. `answer` is their standard output; `elsewhere` are changed files other than those that they were meant
    for."""

    why: str = ""
    absent: bool = False
    answer: str = ""
    edits: tuple[Edit, ...] = ()
    elsewhere: tuple[str, ...] = ()

    def flags(self, name: str) -> tuple[str, ...]:
        """What a person should check."""
        shown = ", ".join(self.elsewhere[:SHOWN]) + (" and others" if len(self.elsewhere) > SHOWN else "")
        return (f"{name} also changed {shown}, where no error is: left out",) if shown else ()


async def call_tool(
    verifier: Verifier, name: str, calls: tuple[Call, ...], files: tuple[str, ...], errors: tuple[CIError, ...], on: str
) -> Called:
    """Runs the calls on tree `on`, after the set-up of the check that shows the errors, so that what it installs is
    available."""
    check = check_of(verifier, errors)
    return (
        Called()
        if check is None
        else await call_in_place_of(check, verifier.checker, verifier.git, name, calls, files, on)
    )


async def call_in_place_of(
    check: Check, checker: Checker, git: Git, name: str, calls: tuple[Call, ...], files: tuple[str, ...], on: str
) -> Called:
    """Runs the calls on tree `on` in place of a check's step. Only edits of `files` are kept."""
    if not calls:
        return Called()
    check = _as_check(check, name, calls)

    async def really() -> dict[str, object]:
        layered = checker.sandbox.layered
        place = f"tool-{UNNAMED.sub('-', name)}-{check.key}-{on[:12]}"
        async with (
            checker.gate,
            checker.worktrees.worktree(checker.run_id, place, checker.git, on, layered) as tree,
        ):
            result = await checker.run_in(check, tree)
            why = _why(result.exit_code, result.not_run, result.output)
            answer: bytes | None = None
            after = on
            try:
                answer = await asyncio.to_thread(tree.read, ANSWER)
                after = on if why or not files else await asyncio.to_thread(tree.snapshot)
            except (GitError, OSError) as error:  # an untrusted tool's result can't be read: too large, or not a file
                why = why or f"what it left can't be read: {error}"
            roots = (str(tree.root), checker.sandbox.inside(tree.root))
        text = _relative(answer or b"", roots)
        edits = await asyncio.to_thread(_edits, git, on, after, files)
        beside = await asyncio.to_thread(_elsewhere, git, on, after, files)
        absent = "is not installed" in result.problem
        called = Called(why=why, absent=absent, answer=text, edits=edits, elsewhere=beside)
        return called.model_dump(mode="json")

    try:
        return Called.model_validate(await checker.steps.run("tool", [name, check.key, list(files), on], really))
    except OutOfMinutes as out:
        return Called(why=str(out))


def check_of(verifier: Verifier, errors: tuple[CIError, ...]) -> Check | None:
    """The check in whose place tools are called for these errors: one that shows them, otherwise the first; None where
    there is none."""
    shows = (c for c in verifier.checks if any(e.id in verifier.shown_by.get(c.key, ()) for e in errors))
    return next(shows, next(iter(verifier.checks), None))


def _as_check(check: Check, name: str, calls: tuple[Call, ...]) -> Check:
    body = "\n".join(call.text() for call in calls)
    run = f"export heal_top=$PWD\n{{\n{body}\n}} > {ANSWER}"
    step = Script(name=name, run=run, env=check.step.env)
    return check.model_copy(update={"step": step, "servers": (), "seconds": SECONDS, "by_heal": True})


def _why(exit_code: int | None, not_run: str, output: str) -> str:
    if not_run or exit_code == 0:
        return not_run[:300]
    first = ERROR.search(output)
    words = " ".join(output[first.start() if first else 0 :].split())
    return f"it exits {exit_code}: {shorten(words, 300, placeholder=' …')}"


def _relative(answer: bytes, roots: tuple[str, ...]) -> str:
    """The answer with paths made relative to the worktree; empty where it is too long."""
    if len(answer) > MAX_ANSWER:
        return ""
    for root in sorted(roots, key=len, reverse=True):
        answer = re.sub(rb"(?<![\w.-])(?:file://)?" + re.escape(root.encode()) + rb"/", b"", answer)
    return answer.decode("utf-8", "replace")


def _elsewhere(git: Git, before: str, after: str, files: tuple[str, ...]) -> tuple[str, ...]:
    """Files of the repository that differ, except these and lock files of a set-up."""
    if before == after:
        return ()
    old, new = git.view(before), git.view(after)
    others = (path for path in old.paths() if path not in files and not LOCKED.search(path))
    return tuple(path for path in others if old.blob(path) != new.blob(path))


def _edits(git: Git, before: str, after: str, files: tuple[str, ...]) -> tuple[Edit, ...]:
    old_view, new_view = git.view(before), git.view(after)
    edits: list[Edit] = []
    for path in files:
        old, new = old_view.read(path), new_view.read(path)
        if old is None or new is None:
            continue
        try:
            edits += edits_between(path, old, new, old_view.mode(path) or "100644")
        except EditError:
            continue  # not text, so it can't be offered
    return tuple(edits)
