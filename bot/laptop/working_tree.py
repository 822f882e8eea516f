"""Applies proposals to a person's clone and reverts them: all files of a proposal or none, never outside the clone."""

import os
import stat
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from healing.edits.exact import AmbiguousEdit, Changes, EditError, Read, apply_edits, widen
from healing.edits.presence import Tracked, presence
from healing.model import Edit, Proposal


class DoesNotFit(Exception):
    """The proposal does not fit the current files; the message says what changed. Nothing was written."""


@dataclass(frozen=True)
class WorkingTree:
    """The files of a clone below `root`, a real path."""

    root: Path

    def apply(self, proposal: Proposal) -> Proposal:
        """Writes the proposal's changes; returns the proposal as applied, so that its reverse fits. Raises DoesNotFit,
        OSError."""
        anchored = self._anchored(proposal)
        self._change(anchored.wide)
        return anchored

    def revert(self, proposal: Proposal, reference: Read | None = None) -> None:
        """Reverts the proposal's changes and keeps other edits. `reference` reads files at which it is known whether
        the proposal is applied. Raises DoesNotFit, OSError."""
        status = presence(Tracked(proposal, "applied", reference), self.read)
        if status.state != "applied" or status.turned is None:
            raise DoesNotFit(self._why(proposal.reverse) or "other lines were put right where it was")
        write_all(self, status.turned, {e.file: e.mode for e in proposal.reverse if e.kind == "create"})

    def _anchored(self, proposal: Proposal) -> Proposal:
        """Returns the proposal if it fits; if only lines around its change were edited, widened again."""
        try:
            apply_edits(proposal.wide, self.read)
        except EditError:
            pass
        else:
            return proposal
        try:
            widened = widen(proposal.edits, self.read)
        except EditError:
            raise DoesNotFit(self._why(proposal.edits)) from None
        return proposal.model_copy(update={"wide": widened.wide, "reverse": widened.reverse})

    def _change(self, edits: tuple[Edit, ...]) -> None:
        try:
            changes = apply_edits(edits, self.read)
        except EditError:
            raise DoesNotFit(self._why(edits)) from None
        write_all(self, changes, {e.file: e.mode for e in edits if e.kind == "create"})

    def _why(self, edits: Iterable[Edit]) -> str:
        by_file: dict[str, list[Edit]] = {}
        for edit in edits:
            by_file.setdefault(edit.file, []).append(edit)
        return "; ".join(why for file, group in by_file.items() if (why := self._why_file(file, group)))

    def _why_file(self, file: str, edits: list[Edit]) -> str:
        place = self.place(file)
        if place.is_symlink():
            return f"{file} is a symbolic link now"
        if edits[0].kind == "create" and place.exists():
            return f"{file} exists already"
        if edits[0].kind != "create" and not place.exists():
            return f"{file} is gone"
        try:
            apply_edits(edits, self.read)
        except AmbiguousEdit:
            return f"the lines to change are there more than once now in {file}"
        except EditError:
            return f"the lines to change are no longer as they were in {file}"
        return ""

    def read(self, file: str) -> bytes | None:
        """Returns the bytes of a regular file; None if there is none. Raises DoesNotFit like `place`."""
        place = self.place(file)
        return place.read_bytes() if place.is_file() and not place.is_symlink() else None

    def place(self, file: str) -> Path:
        """Returns the path of `file`. Raises DoesNotFit if that is outside the clone, behind a symbolic link, or in
        `.git`."""
        parts = Path(file).parts
        place = self.root / file
        hostile = "\0" in file or Path(file).is_absolute() or not parts or ".." in parts
        if hostile or ".git" in (part.lower() for part in parts):
            raise DoesNotFit(f"{file} leads out of the clone's files")
        if place.parent.resolve() != place.parent:
            raise DoesNotFit(f"{file} lies behind a symbolic link")
        return place


def write_all(tree: WorkingTree, changes: Changes, modes: Mapping[str, str]) -> None:
    """Writes every file next to its place first, and renames them when all are written. If a rename fails, files that
    were renamed already are restored. Raises OSError; then no file has changed."""
    before = {file: tree.read(file) for file in changes}
    ready: dict[str, Path] = {}
    done: list[str] = []
    try:
        for file, data in sorted(changes.items()):
            if data is not None:
                ready[file] = _beside(tree.place(file), data, modes.get(file, "100644"))
        for file in sorted(changes):
            _put(tree, file, ready.get(file))
            ready.pop(file, None)
            done.append(file)
    except OSError:
        for left in ready.values():
            left.unlink(missing_ok=True)
        for file in done:
            old = before[file]
            _put(tree, file, None if old is None else _beside(tree.place(file), old, modes.get(file, "100644")))
        raise


def _beside(place: Path, data: bytes, mode: str) -> Path:
    """Writes a temporary file with these bytes next to `place`, with the mode and owner of the file at `place`, if
    there is one."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".heal-")
    ready = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        _dress(ready, place, mode)
    except OSError:
        ready.unlink()
        raise
    return ready


def _dress(ready: Path, place: Path, mode: str) -> None:
    if not place.exists():
        ready.chmod(int(mode[-3:], 8))
        return
    old = place.stat()
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        os.chown(ready, old.st_uid, old.st_gid)
    ready.chmod(stat.S_IMODE(old.st_mode))


def _put(tree: WorkingTree, file: str, ready: Path | None) -> None:
    place = tree.place(file)
    if ready is not None:
        ready.replace(place)
        return
    place.unlink()
    for folder in place.parents:  # remove empty folders, as git does
        if folder == tree.root or any(folder.iterdir()):
            return
        folder.rmdir()
