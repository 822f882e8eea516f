"""An agent's scratch copy: its worktree, what was changed there, and how it is reset to the base."""

from collections.abc import Collection, Iterable, Sequence

from healing.edits.exact import Changes, EditError, StaleEdit, apply_edits, edits_between
from healing.model import Edit, Proposal
from healing.repair.agents.fences import unmasked
from healing.repair.agents.read_log import ReadLog
from healing.repair.agents.workspace import PathNotAllowed, Workspace, confined


class Scratch:
    """Reads and edits through a workspace, and keeps the base's bytes of every file it touched. `holds` are the
    accepted fixes in its base, `moved` counts how often the base changed, `reads` records what was read."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.reads = ReadLog()
        self.holds: list[Proposal] = []
        self.moved = 0
        self._base: Changes = {}
        self._beneath: set[str] = set()  # accepted fixes that the base of the last `renew` contains

    async def read(self, path: str) -> bytes | None:
        """The file as it is in the scratch copy. Raises PathNotAllowed."""
        return await self.workspace.read(confined(path))

    async def read_base(self, path: str) -> bytes | None:
        """The file as it is in the base. Raises PathNotAllowed."""
        confined(path)
        return self._base[path] if path in self._base else await self.workspace.read(path)

    async def edit(self, file: str, old: str, new: str) -> bytes:
        """Replaces text and returns the file's new bytes. Raises PathNotAllowed or EditError, with nothing
        changed."""
        before = await self.read(file)
        if before is None and file in await self.workspace.paths():
            raise PathNotAllowed(f"{file}: can't be read as a regular file; edit another one")
        changed = apply_edits([fitted(file, old, new, before)], {file: before}.get)
        await self.workspace.write(changed)
        self._base.setdefault(file, before)
        self.reads.changed(file, before, changed[file])
        return changed[file] or b""

    def touched(self) -> tuple[str, ...]:
        """The files that were written since the base."""
        return tuple(sorted(self._base))

    async def edits(self) -> tuple[Edit, ...]:
        """The changes since the base, as minimal edits. Raises EditError where a file is not text."""
        edits: list[Edit] = []
        for file in sorted(self._base):
            edits += edits_between(file, self._base[file], await self.workspace.read(file))
        return tuple(edits)

    async def reset(self) -> None:
        """Restores the base."""
        if self._base:
            for file, base in self._base.items():
                self.reads.changed(file, await self.workspace.read(file), base)
            await self.workspace.write(dict(self._base))
            self._base.clear()

    async def renew(self, accepted: Sequence[Proposal]) -> None:
        """Discards the changes, and moves the base to everything accepted meanwhile, including this agent's own
        fixes."""
        await self.reset()
        await self.workspace.renew()
        self.holds, self._beneath = list(accepted), {proposal.id for proposal in accepted}
        self.moved += 1

    async def take(self, proposal: Proposal, handed_in: Collection[Edit]) -> None:
        """Moves the base to one that contains an accepted fix. Changes that were not part of the fix are kept where
        they still apply."""
        others = [edit for edit in await self._changes() if edit not in handed_in]
        before = {edit.file: await self.read_base(edit.file) for edit in proposal.edits}
        await self.reset()
        self.reads.accepted()
        if not await self.workspace.take(proposal):
            return
        self.holds.append(proposal)
        self.moved += 1
        for file, data in before.items():
            self.reads.changed(file, data, await self.workspace.read(file))
        await self._change_again(others)

    async def give_back(self, standing: Sequence[Proposal], *gone: str) -> None:
        """Moves the base to one without the accepted fixes `gone`, but with those in `standing`. Changes are kept where
        they still apply."""
        others = await self._changes()
        await self.reset()
        self.moved += 1
        self.reads.accepted()
        files = {edit.file for proposal in (*self.holds, *standing) for edit in proposal.edits}
        before = {file: await self.workspace.read(file) for file in files}
        if self._beneath & set(gone):
            await self.workspace.renew()
            self.holds, self._beneath = list(standing), {proposal.id for proposal in standing}
        else:
            await self.workspace.restart()
            self.holds = [fix for fix in standing if fix.id in self._beneath or await self.workspace.take(fix)]
        for file, data in before.items():
            self.reads.changed(file, data, await self.workspace.read(file))
        await self._change_again(others)

    async def _changes(self) -> tuple[Edit, ...]:
        """The changes, as far as they are text."""
        try:
            return await self.edits()
        except EditError:
            return ()

    async def _change_again(self, edits: Iterable[Edit]) -> None:
        for edit in edits:
            try:
                await self.edit(edit.file, edit.old_string, edit.new_string)
            except (EditError, PathNotAllowed):
                continue

    async def leave(self) -> None:
        """Restores the tree that the agent was given, without any fix."""
        await self.reset()
        await self.workspace.restart()
        self.holds.clear()
        self._beneath.clear()


def fitted(file: str, old: str, new: str, before: bytes | None) -> Edit:
    """The edit in the form that matches the file's bytes: marks for invisible characters are undone, and CRLF is
    restored where the file has it.

    Raises StaleEdit with the nearest real lines where the text is not there.
    """
    if not old:
        if before is not None:
            raise StaleEdit(f"{file}: exists already; name the text to replace in old_string")
        return Edit(file=file, old_string="", new_string=unmasked(new), kind="create")
    if before is None:
        raise StaleEdit(f"{file}: there is no such file; find it with glob, or pass an empty old_string to create it")
    for left, right in ((old, new), (unmasked(old), unmasked(new)), (_crlf(unmasked(old)), _crlf(unmasked(new)))):
        if left.encode() in before:
            return Edit(file=file, old_string=left, new_string=right)
    raise StaleEdit(f"{file}: old_string is not there verbatim. {_nearest(old, before)}")


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _nearest(old: str, before: bytes) -> str:
    """The hint for a text that is not there: the real lines most similar to it."""
    from difflib import get_close_matches

    lines = before.decode("utf-8", "replace").splitlines()[:5000]
    wanted = next((line for line in old.splitlines() if line.strip()), "")
    close = get_close_matches(wanted[:200], [line[:200] for line in lines], n=1, cutoff=0.5)
    if not close:
        return "Read the file again and copy the text exactly."
    at = next(number for number, line in enumerate(lines) if line[:200] == close[0])
    real = "\n".join(f"{n + 1}\t{lines[n]}" for n in range(at, min(at + 1 + old.count("\n"), len(lines), at + 20)))
    return f"Did you mean these lines?\n{real}"
