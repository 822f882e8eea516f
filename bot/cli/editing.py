"""Opens the files that a fix would write in the person's editor, and makes a fix of what they leave there."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.laptop.working_tree import WorkingTree
    from healing.model import Proposal


def editor() -> list[str]:
    """The command of the person's editor. Raises UserError if none is set."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = shlex.split(named)
    except ValueError as error:
        raise UserError(f"EDITOR={named} can't be read: {error}") from error
    if not words:
        raise UserError("no editor is named: set EDITOR, as in EDITOR=nano heal review")
    return words


def edited(proposal: "Proposal", tree: "WorkingTree") -> "Proposal | None":
    """The proposal as the person changed it; None if nothing was changed in the editor, or if the files are now the
    same as the clone's. Raises UserError, DoesNotFit, EditError."""
    from healing.edits.exact import apply_edits, edits_between, widen

    changes = {file: data for file, data in apply_edits(proposal.edits, tree.read).items() if data is not None}
    with tempfile.TemporaryDirectory(prefix="heal-edit-") as folder:
        places = {file: Path(folder, str(number), Path(file).name) for number, file in enumerate(sorted(changes))}
        for file, place in places.items():
            place.parent.mkdir()
            place.write_bytes(changes[file])
        _open(list(places.values()))
        made = {file: place.read_bytes() if place.exists() else changes[file] for file, place in places.items()}
    if made == changes:
        return None
    modes = {edit.file: edit.mode for edit in proposal.edits if edit.mode}
    kept = [edit for edit in proposal.edits if edit.kind == "delete"]
    new = [
        e for file, data in made.items() for e in edits_between(file, tree.read(file), data, modes.get(file, "100644"))
    ]
    if not new and not kept:
        return None
    edits = (*kept, *new)
    both = widen(edits, tree.read)
    return proposal.model_copy(update={"edits": edits, "wide": both.wide, "reverse": both.reverse})


def _open(files: list[Path]) -> None:
    words = editor()
    try:
        ended = subprocess.run([*words, *map(str, files)], check=False)
    except OSError as error:
        raise UserError(f"{words[0]} can't be started: {error.strerror}. Set EDITOR") from error
    if ended.returncode:
        raise UserError(f"{words[0]} ended with exit code {ended.returncode}; nothing was changed")
