"""A tool's suggestion as a value: bytes to replace, for a problem at a place."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from healing.edits.exact import EditError, EditSpan, edits_between, splice
from healing.model import CIError, Edit
from healing.view import TreeView

SURE, LIKELY, UNSURE = 95, 75, 45  # proven by the tool; likely what was meant; one of several possibilities


@dataclass(frozen=True)
class Suggestion:
    """One fix of one problem. `replacements` are spans of bytes by file; `certainty` is 1..100; `codes` are the names
    of its rule in CI's log, empty where the place alone identifies the problem; `flags` are what a person should
    check."""

    file: str
    line: int  # of the problem, from 1
    title: str
    replacements: Mapping[str, tuple[EditSpan, ...]]
    certainty: int
    codes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def fixes(self, errors: Iterable[CIError]) -> tuple[CIError, ...]:
        """The errors that it is for: at its place, and of its rule where both name one."""
        return tuple(e for e in errors if e.file == self.file and e.line == self.line and self._is(e))

    def _is(self, error: CIError) -> bool:
        return not (self.codes and error.code) or error.code in self.codes

    def edits(self, view: TreeView) -> tuple[Edit, ...]:
        """The suggestion as edits of the files in `view`; empty where the spans don't fit or change nothing."""
        edits: list[Edit] = []
        for file, spans in sorted(self.replacements.items()):
            old = view.read(file)
            if old is None or not _fit(spans, len(old)):
                return ()
            try:
                new = splice(old, sorted((_whole_line(old, span) for span in spans), key=_order))
                edits += edits_between(file, old, new, view.mode(file) or "100644")
            except EditError:
                return ()
        return tuple(edits)


def _order(span: EditSpan) -> tuple[int, int]:
    return (span.start, span.end)


def _whole_line(old: bytes, span: EditSpan) -> EditSpan:
    """Extends a deletion that would leave an empty line to the whole line."""
    start = old.rfind(b"\n", 0, span.start) + 1
    end = old.find(b"\n", span.end) + 1 or len(old)
    empty = not span.new and span.start < span.end and old[span.end - 1 : span.end] != b"\n"
    rest = old[start : span.start] + old[span.end : end]
    return EditSpan(start, end, b"") if empty and not rest.strip() else span


def _fit(spans: tuple[EditSpan, ...], length: int) -> bool:
    """Whether the spans lie in the file and don't overlap."""
    at = 0
    for span in sorted(spans, key=_order):
        if not at <= span.start <= span.end <= length:
            return False
        at = span.end
    return bool(spans)
