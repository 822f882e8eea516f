"""What happens when an agent calls a tool: bounded, confined, and every failure says the way out (AG-2, AG-3, AG-4)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from fnmatch import translate
from re import compile as regex
from typing import Any

from healing.agents import tools
from healing.agents.fences import bounded, fenced, numbered, one_line
from healing.agents.ledger import Ledger
from healing.agents.scratch import Scratch, fitted
from healing.agents.task import FailedEdit, fingerprint
from healing.agents.workspace import Door, Outside, confined
from healing.edits import EditError
from healing.llm.protocol import Block, ToolCall
from healing.model import Candidate, Edit
from healing.steps import Steps

MAX_FILES = 5_000  # searched by one grep
MAX_BYTES = 1 << 20  # of one file that grep reads


@dataclass(frozen=True)
class Seen:
    """A tool's result: `data` is strangers' text and goes into a fence, `said` is Heal's own."""

    said: str
    data: str = ""
    failed: bool = False


class Toolbox:
    """The tools of one agent."""

    def __init__(self, scratch: Scratch, door: Door, steps: Steps, ledger: Ledger, nonce: str) -> None:
        self.scratch = scratch
        self.door = door
        self.steps = steps
        self.ledger = ledger
        self.nonce = nonce
        self._does: dict[str, Callable[[Any], Awaitable[Seen]]] = {
            "edit_file": self._edit_file,
            "glob": self._glob,
            "grep": self._grep,
            "read_file": self._read_file,
            "report_unfixable": self._report_unfixable,
            "run_check": self._run_check,
            "suggest_fix": self._suggest_fix,
        }

    async def run(self, call: ToolCall) -> Block:
        """One call's result as a block."""
        try:
            arguments = tools.parse(call.name, call.arguments, self.ledger.task.profile.tools)
            seen = await self._does[call.name](arguments)
        except (tools.WrongArguments, Outside, EditError, OSError) as error:
            seen = Seen("Nothing was done.", str(error), failed=True)
        said = "\n".join(filter(None, (seen.said, fenced(seen.data, self.nonce) if seen.data else "")))
        return {"type": "tool_result", "tool_use_id": call.id, "content": said, "is_error": seen.failed}

    async def _read_file(self, asked: tools.ReadFile) -> Seen:
        raw = await self.scratch.read(asked.file)
        if raw is None:
            return Seen("There is no such regular file; use glob to find it.", failed=True)
        lines = raw.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        first = max(asked.first_line, 1)
        last = min(asked.last_line if asked.last_line > 0 else len(lines), len(lines))
        if first > last:
            return Seen(f"The file has {len(lines)} lines; ask for a part of them.", failed=True)
        return Seen(f"Lines {first} to {last} of {len(lines)}.", numbered("\n".join(lines[first - 1 : last]), first))

    async def _edit_file(self, asked: tools.EditFile) -> Seen:
        after = await self.scratch.edit(asked.file, asked.old_string, asked.new_string)
        lines = after.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        start = asked.new_string.split("\n")[0]
        at = next((n for n, line in enumerate(lines) if start and start in line), 0)
        first = max(at - 3, 0)
        shown = "\n".join(lines[first : at + asked.new_string.count("\n") + 4])
        return Seen("Changed in your scratch copy. It now reads:", bounded(numbered(shown, first + 1), 4_000))

    async def _glob(self, asked: tools.Glob) -> Seen:
        found = await self._matching(asked.pattern)
        if not found:
            return Seen("No file matches; try a shorter pattern, like *name*.")
        more = f" Only the first 200 of {len(found)} are shown; narrow the pattern." if len(found) > 200 else ""
        return Seen(f"{len(found)} files.{more}", "\n".join(one_line(path) for path in found[:200]))

    async def _matching(self, pattern: str) -> list[str]:
        matches = regex(translate(pattern[:200])).match
        return [path for path in await self.scratch.workspace.paths() if matches(path) and _open(path)]

    async def _grep(self, asked: tools.Grep) -> Seen:
        if not asked.text or "\n" in asked.text:
            return Seen("Name a text of one line to find.", failed=True)
        paths = await self._matching(asked.pattern)
        counts: list[str] = []
        hits: list[str] = []
        for path in paths[:MAX_FILES]:
            raw = await self.scratch.read(path)
            if raw is None or len(raw) > MAX_BYTES or asked.text.encode("utf-8", "replace") not in raw:
                continue
            lines = [(n, t) for n, t in enumerate(raw.decode("utf-8", "replace").split("\n"), 1) if asked.text in t]
            counts.append(f"{len(lines)}\t{path}")
            hits += [f"{path}:{n}:{one_line(t, 200)}" for n, t in lines[: max(100 - len(hits), 0)]]
        left = (
            f" {len(paths) - MAX_FILES} files were not searched; narrow the pattern." if len(paths) > MAX_FILES else ""
        )
        if not counts:
            return Seen(f"Not found in {min(len(paths), MAX_FILES)} files.{left}")
        return Seen(
            f"Found in {len(counts)} files; counts, then the first lines.{left}", "\n".join([*counts[:100], "", *hits])
        )

    async def _run_check(self, asked: tools.RunCheck) -> Seen:
        ids = self._assigned(asked.error_ids)
        tree = await self.scratch.workspace.tree()
        said = await self.steps.run("agent-check", [tree, list(ids)], lambda: self.scratch.workspace.run_check(ids))
        return Seen("The check on your scratch copy:", str(said) or "it ran and printed nothing")

    async def _report_unfixable(self, asked: tools.ReportUnfixable) -> Seen:
        ids = self._still_open(asked.error_ids)
        self.ledger.report(ids, "given-up", asked.tried[:4_000], asked.why[:4_000], asked.advice[:4_000])
        return Seen("Noted, thank you. That settles: " + ", ".join(ids))

    async def _suggest_fix(self, asked: tools.SuggestFix) -> Seen:
        ids = self._still_open(asked.error_ids)
        edits = await self._edits(asked.edits)
        if not edits:
            return Seen("No edits: change something with edit_file first, or name the edits.", failed=True)
        name = fingerprint(edits)
        before = next((failed for failed in self.ledger.failed if failed.fingerprint == name), None)
        if before is not None:
            self.ledger.repeated = name
            return Seen("The very same edits were refused before:", before.message, failed=True)
        task = self.ledger.task
        verdict = await self.door.submit(
            Candidate(
                source=f"agent:{task.profile.name}",
                phase=task.cluster.phase,
                title=one_line(asked.title, 120),
                explanation=asked.explanation[:4_000],
                confidence=asked.confidence,
                error_ids=ids,
                edits=edits,
            )
        )
        if verdict.proposal is None:
            self.ledger.failed.append(FailedEdit(fingerprint=name, error_ids=ids, edits=edits, message=verdict.message))
            return Seen("Not accepted:", verdict.message or "no reason was given", failed=True)
        self.ledger.proposals.append(verdict.proposal)
        return Seen("Accepted. That settles: " + ", ".join(verdict.proposal.error_ids))

    async def _edits(self, named: list[tools.EditArgument]) -> tuple[Edit, ...]:
        """The candidate's edits against the base: those named, else what the scratch copy holds."""
        if not named:
            return await self.scratch.edits()
        return tuple([fitted(e.file, e.old_string, e.new_string, await self.scratch.read_base(e.file)) for e in named])

    def _assigned(self, ids: list[str]) -> tuple[str, ...]:
        known = self.ledger.task.ids()
        unknown = [one_line(i, 40) for i in ids if i not in known]
        if unknown or not ids:
            raise tools.WrongArguments(f"error_ids must be of this cluster ({', '.join(known)}), not {unknown}")
        return tuple(i for i in known if i in ids)

    def _still_open(self, ids: list[str]) -> tuple[str, ...]:
        missing = self.ledger.missing()
        wanted = tuple(i for i in self._assigned(ids) if i in missing)
        if not wanted:
            raise tools.WrongArguments(f"those errors are settled already; still open: {', '.join(missing) or 'none'}")
        return wanted


def _open(path: str) -> bool:
    try:
        return bool(confined(path))
    except Outside:
        return False
