"""The diff, for a cluster's files, of the change that CI ran for: the error most likely comes from it."""

from collections.abc import Callable, Iterable
from difflib import unified_diff

LIMIT = 6_000  # characters
MAX_NAMES = 20
MAX_BYTES = 200_000  # of a file; comparing longer ones takes too long

Read = Callable[[str], bytes | None]


def diff_of(files: Iterable[str], before: Read, after: Read) -> str:
    """The files' differences as a unified diff; new files, and those for which there is no room, are only named."""
    parts: list[str] = []
    left: list[str] = []
    added: list[str] = []
    room = LIMIT
    for file in dict.fromkeys(files):
        old, new = before(file), after(file)
        if old == new:
            continue
        if old is None:
            added.append(file)  # all of it is new, and the relevant parts are shown as code
            continue
        text = _diff(file, old, new)
        if text and len(text) <= room:
            parts.append(text)
            room -= len(text)
        else:
            left.append(file)
    left_note = [f"(changed too, and not shown: {_names(left)})"] if left else []
    added_note = [f"(files that this change adds: {_names(added)})"] if added else []
    return "\n".join([*parts, *added_note, *left_note])


def _names(files: list[str]) -> str:
    more = len(files) - MAX_NAMES
    return ", ".join(files[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


def _diff(file: str, old: bytes | None, new: bytes | None) -> str:
    """The file's unified diff; empty where it is not text, or too long."""
    sides = (old or b"", new or b"")
    if any(len(side) > MAX_BYTES or b"\0" in side[:8000] for side in sides):
        return ""
    before, after = (side.decode("utf-8", "replace").splitlines() for side in sides)
    names = (file if old is not None else "/dev/null", file if new is not None else "/dev/null")
    return "\n".join(unified_diff(before, after, *names, lineterm=""))
