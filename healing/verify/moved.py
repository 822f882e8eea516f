"""Finds failures that only moved: errors that a fix reveals and that fail in the very lines it wrote.

A bracket closed in the wrong place parses, and everything it hid fails right there: that is no fix, however many errors
are gone.
"""

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

from healing.causes import Places
from healing.model import Category, CIError
from healing.view import TreeView

ABOUT_FORM = {Category.LINT, Category.FORMAT}  # a line may well have a second such error that was hidden before


def errors_on_written_lines(
    revealed: Iterable[CIError], changed: Mapping[str, tuple[bytes | None, bytes | None]], view: TreeView
) -> tuple[CIError, ...]:
    """The revealed errors whose deepest frame in the repository is on a line that the change wrote; `view` is after
    it."""
    places, written = Places(view), {path: written_lines(old, new) for path, (old, new) in changed.items()}
    moved_errors = []
    for error in revealed:
        frames = places.frames(error)
        if error.category not in ABOUT_FORM and frames and frames[0][1] in written.get(frames[0][0], ()):
            moved_errors.append(error)
    return tuple(moved_errors)


def written_lines(old: bytes | None, new: bytes | None) -> frozenset[int]:
    """The line numbers of `new`, from 1, that differ from `old`."""
    before, after = (old or b"").splitlines(), (new or b"").splitlines()
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return frozenset(line + 1 for kind, _, _, start, end in blocks if kind != "equal" for line in range(start, end))
