"""What changed where, so that a fix (or its reverse) no longer fits: for people, as safe Markdown."""

from handlers.acceptance.clash import Clash
from handlers.comments.clean import code


def what_changed(clash: Clash | None) -> str:
    """One sentence. None: each edit fits by itself, but not all together."""
    if clash is None:
        return "its changes don't fit the files as they are now."
    file = code(clash.file, 120)
    if clash.kind == "file-gone":
        return f"{file} is no longer there."
    if clash.kind == "file-exists":
        return f"{file} exists again."
    if clash.kind == "file-changed":
        return f"{file} was changed since."
    if clash.kind == "text-repeated":
        lines = ", ".join(map(str, clash.lines))
        return (
            f"its lines are in {file} {len(clash.lines)} times now (lines {lines}), so it is unclear which are meant."
        )
    if clash.kind == "not-at-edge":
        return f"lines were added at the edge of {file}, right where it was, so it is unclear where its own belong."
    if not clash.lines:
        return f"its lines are no longer in {file}."
    was, now = code(clash.was, 120), code(clash.now, 120)
    return f"line {clash.lines[0]} of {file} was changed since: it was {was} and is now {now}."
