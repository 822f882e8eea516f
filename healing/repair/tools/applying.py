"""Runs the repo's own tools on the failures and submits their changes to the verifier, one proposal per tool."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from healing.checks.check import Check
from healing.checks.unreadable import UNREAD
from healing.model import Candidate, Category, CIError, NotChecked
from healing.repair.tools import RUNNERS, Configured, NamedTool
from healing.repair.tools.call import Call
from healing.repair.tools.calling import Called, call_tool, check_of
from healing.repair.tools.origin import DATA_ONLY, OF_THE_BRANCH, Origin, origin_of
from healing.repair.tools.rewriting import Rewriting, by_sibling, rewriting_of
from healing.repair.tools.runner import Runner
from healing.repair.tools.settings import ToolConfig
from healing.verify.applying import AUTOFIX, BY_GUARD
from healing.verify.verifier import Verifier
from healing.view import TreeView

WORKFLOWS = ".github/workflows/"
TOO_MUCH = f"{BY_GUARD}caps: "
UNDONE = "its result was undone: "


@dataclass(frozen=True)
class Way:
    """How a tool is called. `callers` are files with the content that they have to have for the calls only."""

    name: str
    calls: tuple[Call, ...]
    origin: Origin
    callers: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Autofix:
    """Runs the tools for one run. `changed` are the files that the pull request changed, `named` the tools of
    heal.yml."""

    verifier: Verifier
    not_looked: list[NotChecked]
    changed: frozenset[str] = frozenset()
    named: tuple[NamedTool, ...] = ()
    failed: dict[str, tuple[str, frozenset[str]]] = field(default_factory=dict)  # tool → why, and the errors meant
    ran: set[str] = field(default_factory=set)  # names of tools that ran

    async def run(self, errors: tuple[CIError, ...]) -> None:
        """Runs the tools that the repo uses, each on the unchanged head, so that the results are independent."""
        tool_config = ToolConfig(
            self.verifier.git.view(self.verifier.trees.head), tuple(check.step.run for check in self.verifier.checks)
        )
        for runner in (*(Configured(tool) for tool in self.named), *RUNNERS):
            wanted = runner.wants(errors)
            # A formatter that complains is in use, whatever called it.
            if wanted and (runner.used(tool_config) or any(_is_own(runner, error) for error in wanted)):
                await self._run_one(runner, wanted, tool_config)
        tried = frozenset(self.ran)
        for check in self.verifier.checks:
            await self._rewrite(check, errors, tool_config, tried)
        fixed = {id_ for proposal in self.verifier.accepted for id_ in proposal.error_ids}
        known, named = {entry.what for entry in self.not_looked}, {tool.name for tool in self.named}
        for name, (why, wanted_ids) in self.failed.items():
            needed = name in named or not wanted_ids <= fixed  # what heal.yml names is to work
            if needed and (what := f"autofix with {name}") not in known:
                self.not_looked.append(NotChecked(what=what, why=why))

    async def _rewrite(
        self, check: Check, errors: tuple[CIError, ...], tool_config: ToolConfig, tried: frozenset[str]
    ) -> None:
        """Submits what the check's own command writes, then what the repository's goals beside it write, for what the
        tools that were `tried` have not fixed."""
        view = tool_config.view
        paths = frozenset(view.paths())
        for find in (partial(rewriting_of, tried=tried), by_sibling):
            fixed = {id_ for proposal in self.verifier.accepted for id_ in proposal.error_ids}
            shown = self.verifier.shown_by.get(check.key, frozenset()) - fixed
            wanted = tuple(error for error in errors if error.id in shown and not error.test)
            result = await self.verifier.checker.run(check, self.verifier.trees.built) if wanted else None
            rewriting = find(check, result, paths, view.read) if result is not None and not result.green else None
            if rewriting is not None:
                await self._submit_rewriting(rewriting, check, wanted, view)

    async def _submit_rewriting(
        self, rewriting: Rewriting, check: Check, wanted: tuple[CIError, ...], view: TreeView
    ) -> None:
        files = {*self._files(wanted), *self._allowed(rewriting.mentioned)} - rewriting.callers.keys()
        origin = origin_of(rewriting.name, check, view, self.changed)
        if rewriting.callers:
            origin = Origin(OF_THE_BRANCH, f"What `{check.step.name}` writes where {rewriting.name} may write.")
        way = Way(rewriting.name, rewriting.calls, origin, rewriting.callers)
        why = await self._submit(way, wanted, tuple(sorted(files)))
        if why and any(error.tool != UNREAD for error in wanted):
            self._note(rewriting.name, why, wanted)

    async def _run_one(self, runner: Runner, wanted: tuple[CIError, ...], tool_config: ToolConfig) -> None:
        """Submits one proposal for the tool; if it is refused, each half of its files by itself, and so on, so that one
        bad file doesn't block the others. A tool that the guard has refused is not tried again with other files."""
        why = "" if self._is_caught(runner.name) else await self._try(runner, wanted, tool_config)
        if not why:
            return
        files = sorted({e.file for e in wanted if e.file})
        if len(files) > 1:
            for part in (files[: len(files) // 2], files[len(files) // 2 :]):
                await self._run_one(runner, tuple(e for e in wanted if e.file in part), tool_config)
            if why.startswith(f"{UNDONE}{TOO_MUCH}"):
                return
        self._note(runner.name, why, wanted)

    def _note(self, name: str, why: str, wanted: tuple[CIError, ...]) -> None:
        self.failed.setdefault(name, (why, frozenset(error.id for error in wanted)))

    def _is_caught(self, name: str) -> bool:
        """Whether the guard refused something of this tool in this run for a reason other than its size."""
        return any(
            candidate.source == AUTOFIX + name and why.startswith(BY_GUARD) and not why.startswith(TOO_MUCH)
            for candidate, why in self.verifier.refused
        )

    async def _try(self, runner: Runner, wanted: tuple[CIError, ...], tool_config: ToolConfig) -> str:
        """Returns why the tool's result was refused; empty where it was accepted, or where the tool changes nothing."""
        files = self._files(wanted)
        calls = runner.calls(files, wanted, tool_config)
        origin = origin_of(runner.name, check_of(self.verifier, wanted), tool_config.view, self.changed)
        return await self._submit(Way(runner.name, calls, origin), wanted, files)

    async def _submit(self, way: Way, wanted: tuple[CIError, ...], files: tuple[str, ...]) -> str:
        """Like `_try`, for one way to call a tool, which may change these files."""
        why, name, git = "", way.name, self.verifier.git
        for on in dict.fromkeys((self.verifier.trees.head, self.verifier.integration)) if way.calls else ():
            tree = await asyncio.to_thread(git.write_tree, on, dict(way.callers)) if way.callers else on
            called = await call_tool(self.verifier, name, way.calls, files, wanted, tree)
            if not called.absent:
                self.ran.add(name)
            if called.why:
                return called.why if called.absent else f"{called.why}; what it did was undone"
            if not called.edits:
                return ""
            verdict = await self.verifier.submit(_candidate(name, called, wanted, way.origin), on=on)
            if verdict.accepted or verdict.already_fixed:
                return ""
            why = f"{UNDONE}{verdict.message[:300]}"
            if self._is_caught(name):
                break
        return why

    def _files(self, wanted: tuple[CIError, ...]) -> tuple[str, ...]:
        """The files that the errors name; where one names none, also those that the pull request changed. Workflow
        files are left out (whoever may push is not always allowed to change CI), and so are files that must never be
        touched."""
        named = {e.file for e in wanted if e.file}
        if any(e.file is None for e in wanted):
            named |= self.changed
        return self._allowed(named)

    def _allowed(self, files: Iterable[str]) -> tuple[str, ...]:
        view, policy = self.verifier.git.view(self.verifier.trees.head), self.verifier.policy
        allowed = (file for file in files if not file.startswith(WORKFLOWS) and not policy.why_forbidden([file]))
        return tuple(sorted(file for file in allowed if view.mode(file)))


def _is_own(runner: Runner, error: CIError) -> bool:
    """Whether it is the tool's own complaint, of a formatter that reads files as data."""
    reports = error.category is Category.FORMAT and error.tool in (runner.name, runner.name.removesuffix("-format"))
    return reports and runner.name in DATA_ONLY


def _candidate(name: str, called: Called, fixed: tuple[CIError, ...], origin: Origin) -> Candidate:
    return Candidate(
        source=f"{AUTOFIX}{name}",
        phase="free",
        title=f"Apply {name}'s fixes",
        explanation=origin.explanation,
        confidence=origin.confidence,
        error_ids=tuple(e.id for e in fixed),
        edits=called.edits,
        flags=(*origin.flags, *called.flags(name)),
    )
