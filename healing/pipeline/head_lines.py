"""Maps error lines to the head: CI builds the merge with the base, and prints line numbers of that tree."""

from collections.abc import Iterable
from difflib import SequenceMatcher

from healing.failed_jobs import Trees
from healing.git import Git
from healing.model import CIError

Span = tuple[int, int]  # first and last line, from 1
MAX_LINES = 20_000  # of a file that differs between the trees; comparing more takes too long for the benefit


def head_lines(errors: Iterable[CIError], git: Git, trees: Trees) -> dict[str, Span]:
    """Error id → its lines on the head; errors whose line the head doesn't have are left out."""
    built, head = git.view(trees.built), git.view(trees.head)
    files: dict[str, _Lines | None] = {}
    spans: dict[str, Span] = {}
    for error in errors:
        if error.file is None or error.line is None:
            continue
        if error.file not in files:
            files[error.file] = _lines(built.read(error.file), head.read(error.file))
        lines = files[error.file]
        first = lines.on_head(error.line) if lines else None
        if lines is None or first is None:
            continue
        last = lines.on_head(error.end_line or error.line)
        spans[error.id] = (first, last if last is not None and last >= first else first)
    return spans


class _Lines:
    """Maps one file's line numbers from the built tree to the head, for lines that are the same in both."""

    def __init__(self, built: list[bytes], head: list[bytes]) -> None:
        self._count = len(built)
        self._moved: dict[int, int] | None = None
        if built != head:
            blocks = SequenceMatcher(None, built, head, autojunk=False).get_matching_blocks()
            self._moved = {block.a + at + 1: block.b + at + 1 for block in blocks for at in range(block.size)}

    def on_head(self, line: int) -> int | None:
        """The line's number on the head; None where the head has no such line."""
        if self._moved is not None:
            return self._moved.get(line)
        return line if 1 <= line <= self._count else None


def _lines(built: bytes | None, head: bytes | None) -> _Lines | None:
    if head is None:
        return None
    old, new = (built if built is not None else head).split(b"\n"), head.split(b"\n")
    if old != new and max(len(old), len(new)) > MAX_LINES:
        return None
    # The empty piece after the last newline is not a line.
    return _Lines(old[:-1] if old[-1] == b"" else old, new[:-1] if new[-1] == b"" else new)
