"""Explains which change keeps a fix or its reverse from fitting, as safe Markdown."""

from handlers.comments.clean import code
from handlers.model.edit_conflict import EditConflict


def what_changed(edit_conflict: EditConflict | None) -> str:
    """One sentence. None: each edit fits by itself, but not all together."""
    if edit_conflict is None:
        return "its changes don't fit the files as they are now."
    file = code(edit_conflict.file, 120)
    if edit_conflict.kind == "file-gone":
        return f"{file} is no longer there."
    if edit_conflict.kind == "file-exists":
        return f"{file} exists again."
    if edit_conflict.kind == "file-changed":
        return f"{file} has changed."
    if edit_conflict.kind == "text-repeated":
        lines = ", ".join(map(str, edit_conflict.lines))
        times = len(edit_conflict.lines)
        return f"its lines now appear {times} times in {file} (lines {lines}), so it is unclear which are meant."
    if edit_conflict.kind == "not-at-edge":
        return (
            f"lines were added at the start or end of {file}, right next to the fix's lines, so it is unclear where "
            "the fix's lines belong."
        )
    if not edit_conflict.lines:
        return f"its lines are no longer in {file}."
    was, now = code(edit_conflict.was, 120), code(edit_conflict.now, 120)
    return f"line {edit_conflict.lines[0]} of {file} has changed from {was} to {now}."
