"""Edits and their reverse: exact, unique, and lossless on bytes when applied and reverted.

`old_string` must occur exactly once in the file as it is: none is stale, more is ambiguous. Swapping the two strings is
not a sound reverse (a deletion leaves nothing to find), so each edit is widened by whole lines of context until both
directions are unique and neither applies where it was already applied: the reverse not in the untouched file, the edit
not in the fixed one. Text around a change at a file's end is often part of both files (without its first line a file is
a substring of its old self), so there the edit is anchored. Everything works on bytes; strings are UTF-8.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from healing.model import Edit

Read = Callable[[str], bytes | None]
Changes = dict[str, bytes | None]  # path → new bytes; None: deleted
Anchor = Literal["", "start", "end", "whole"]


class EditError(Exception):
    """An edit that can't be applied; the message says what happened and how to correct it."""


class StaleEdit(EditError):
    """The old text is not there, or not there any more."""


class AmbiguousEdit(EditError):
    """The old text is there more than once, or edits overlap."""


@dataclass(frozen=True)
class EditSpan:
    """The position of an edit in the old bytes: `start:end` becomes `new`."""

    start: int
    end: int
    new: bytes


def apply_edits(edits: Iterable[Edit], read: Read) -> Changes:
    """New contents of every file the edits touch. All edits apply simultaneously to what `read` returns.

    Raises StaleEdit or AmbiguousEdit; then nothing was changed.
    """
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    return {file: _apply_to_file(file, group, read(file)) for file, group in by_file.items()}


def apply_whole_lines(edits: Sequence[Edit], read: Read) -> Changes:
    """`apply_edits` for edits that were made of whole lines (`widen`): a match that begins or ends inside a line is
    part of another line, though the bytes are the same. Raises like `apply_edits`."""
    for edit in edits:
        old = read(edit.file) if edit.kind == "replace" else None
        if old is not None and not _is_of_lines(old, _find(edit.file, edit, old)):
            raise StaleEdit(f"{edit.file}: the old text is there only as a part of other lines")
    return apply_edits(edits, read)


def _is_of_lines(old: bytes, span: EditSpan) -> bool:
    begins = span.start == 0 or old[span.start - 1 : span.start] == b"\n"
    return begins and (span.end == len(old) or old[span.end - 1 : span.end] == b"\n")


def _apply_to_file(file: str, edits: list[Edit], old: bytes | None) -> bytes | None:
    first = edits[0]
    if first.kind != "replace":
        if len(edits) > 1:
            raise AmbiguousEdit(f"{file}: a file is created or deleted by one edit only")
        return _create_or_delete(first, old)
    if old is None:
        raise StaleEdit(f"{file}: there is no such file; name an existing one, or use a `create` edit")
    return splice(old, locate(file, edits, old))


def _create_or_delete(edit: Edit, old: bytes | None) -> bytes | None:
    if edit.kind == "create":
        if old is not None:
            raise StaleEdit(f"{edit.file}: exists already; use a `replace` edit")
        return edit.new_string.encode()
    if old is None or old != edit.old_string.encode():
        raise StaleEdit(f"{edit.file}: is not what the deletion was made for")
    return None


def locate(file: str, edits: Iterable[Edit], old: bytes) -> list[EditSpan]:
    """The spans of `replace` edits of one file, in file order, each unique and none overlapping."""
    spans = sorted((_find(file, edit, old) for edit in edits), key=lambda span: span.start)
    for left, right in pairwise(spans):
        if right.start < left.end:
            raise AmbiguousEdit(f"{file}: two edits overlap at line {line_of(old, right.start)}; join them into one")
    return spans


def _find(file: str, edit: Edit, old: bytes) -> EditSpan:
    if edit.kind != "replace":
        raise AmbiguousEdit(f"{file}: a file is created or deleted by one edit only")
    needle = edit.old_string.encode()
    if edit.old_string == edit.new_string:
        raise StaleEdit(f"{file}: old and new text are the same; nothing would change")
    starts = places(old, edit, limit=20)
    if len(starts) == 1:
        return EditSpan(starts[0], starts[0] + len(needle), edit.new_string.encode())
    if not starts:
        where = {"start": "at the start of the file", "end": "at the end of the file", "whole": "the whole file"}
        raise StaleEdit(
            f"{file}: the old text is not {where.get(edit.anchor, 'there')} verbatim; read the file again and copy it "
            "exactly"
        )
    lines = ", ".join(str(line_of(old, start)) for start in starts)
    raise AmbiguousEdit(f"{file}: the old text is there {len(starts)} times (lines {lines}); add lines around it")


def places(data: bytes, edit: Edit, limit: int = 2) -> list[int]:
    """Where the old text of a `replace` edit starts in `data`, at most `limit` places; its anchor is respected."""
    return _found(data, edit.old_string.encode(), edit.anchor, limit)


def _found(data: bytes, needle: bytes, anchor: Anchor, limit: int = 2) -> list[int]:
    if not needle:
        return []
    if not anchor:
        return occurrences(data, needle, limit)
    at = len(data) - len(needle) if anchor == "end" else 0
    fits = data == needle if anchor == "whole" else data.startswith(needle, max(at, 0))
    return [at] if fits and at >= 0 else []


def occurrences(hay: bytes, needle: bytes, limit: int = 2) -> list[int]:
    """Where `needle` starts in `hay`, overlapping ones too, at most `limit`."""
    starts: list[int] = []
    position = hay.find(needle)
    while position >= 0 and len(starts) < limit:
        starts.append(position)
        position = hay.find(needle, position + 1)
    return starts


def line_of(data: bytes, offset: int) -> int:
    """1-based line of a byte offset."""
    return data.count(b"\n", 0, offset) + 1


def splice(old: bytes, spans: list[EditSpan]) -> bytes:
    """`old` with each span replaced; spans are in order and don't overlap."""
    parts: list[bytes] = []
    position = 0
    for span in spans:
        parts += [old[position : span.start], span.new]
        position = span.end
    return b"".join([*parts, old[position:]])


@dataclass(frozen=True)
class Widened:
    """The same change in both directions, each side unique in the file it applies to and absent from the other."""

    wide: tuple[Edit, ...]
    reverse: tuple[Edit, ...]


def widen(edits: Iterable[Edit], read: Read) -> Widened:
    """Widens edits that apply to what `read` returns, until forward and reverse are both unique and neither applies
    where it was already applied.

    Raises what `apply_edits` raises, and EditError if the text around an edit is not UTF-8.
    """
    wide: list[Edit] = []
    reverse: list[Edit] = []
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    for file, group in by_file.items():
        if group[0].kind != "replace":
            _apply_to_file(file, group, read(file))
            wide.append(group[0])
            reverse.append(_opposite(group[0]))
            continue
        old = read(file)
        if old is None:
            raise StaleEdit(f"{file}: there is no such file")
        for before, after, anchor in _unique_both_ways(old, locate(file, group, old)):
            wide.append(_edit(file, before, after, anchor))
            reverse.append(_edit(file, after, before, anchor))
    return Widened(tuple(wide), tuple(reverse))


def _opposite(edit: Edit) -> Edit:
    kind: Literal["create", "delete"] = "delete" if edit.kind == "create" else "create"
    return Edit(file=edit.file, old_string=edit.new_string, new_string=edit.old_string, kind=kind, mode=edit.mode)


def _edit(file: str, before: bytes, after: bytes, anchor: Anchor = "") -> Edit:
    try:
        return Edit(file=file, old_string=before.decode(), new_string=after.decode(), anchor=anchor)
    except UnicodeDecodeError as error:
        raise EditError(f"{file}: the text around the edit is not UTF-8 ({error.reason})") from error


def _unique_both_ways(old: bytes, spans: list[EditSpan]) -> list[tuple[bytes, bytes, Anchor]]:
    """(before, after, anchor) for each group of spans, whole lines wide: each side is unique in its own bytes, and
    absent from the other."""
    groups = [_Group(_line_start(old, s.start), _line_end(old, s.end), [s]) for s in spans]
    new = splice(old, spans)
    while True:
        groups = _join(groups)
        anchors = []
        for group in groups:
            anchor = group.anchor(old, new)
            if anchor is None:
                group.grow(old)
                break
            anchors.append(anchor)
        else:
            return [(old[g.start : g.end], g.after(old), anchor) for g, anchor in zip(groups, anchors, strict=True)]


@dataclass
class _Group:
    start: int
    end: int
    spans: list[EditSpan]
    grown: int = 0  # lines on each side

    def after(self, old: bytes) -> bytes:
        shifted = [EditSpan(s.start - self.start, s.end - self.start, s.new) for s in self.spans]
        return splice(old[self.start : self.end], shifted)

    def anchor(self, old: bytes, new: bytes) -> Anchor | None:
        """The anchor that the group needs so that each side is only in its own file, and once; None if there is none
        and it has to grow. Only what is already unique is anchored: otherwise more context identifies the place
        better."""
        before, after = old[self.start : self.end], self.after(old)
        whole = self.start == 0 and self.end == len(old)
        if not whole and (len(occurrences(old, before)) != 1 or len(occurrences(new, after)) != 1):
            return None
        for anchor in self._anchors(old):
            unique = len(_found(old, before, anchor)) == len(_found(new, after, anchor)) == 1
            if unique and not _found(new, before, anchor) and not _found(old, after, anchor):
                return anchor
        return None

    def _anchors(self, old: bytes) -> Iterator[Anchor]:
        yield ""
        if self.start == 0:
            yield "start"
        if self.end == len(old):
            yield "end"
        if self.start == 0 and self.end == len(old):
            yield "whole"

    def grow(self, old: bytes) -> None:
        if self.start == 0 and self.end == len(old):
            raise EditError("what leaves a file empty or as it was can't be edited back; create or delete it instead")
        # The step grows: one line at a time would take quadratic time in a long repetitive file.
        for _ in range(step := 1 + self.grown // 8):
            self.start = _line_start(old, max(self.start - 1, 0))
            self.end = _line_end(old, min(self.end + 1, len(old)))
        self.grown += step


def _join(groups: list[_Group]) -> list[_Group]:
    joined: list[_Group] = []
    for group in groups:
        if joined and group.start < joined[-1].end:
            last = joined[-1]
            grown = max(last.grown, group.grown)
            joined[-1] = _Group(last.start, max(last.end, group.end), last.spans + group.spans, grown)
        else:
            joined.append(group)
    return joined


def _line_start(data: bytes, offset: int) -> int:
    return data.rfind(b"\n", 0, offset) + 1


def _line_end(data: bytes, offset: int) -> int:
    if offset > 0 and data[offset - 1 : offset] == b"\n":
        return offset
    at = data.find(b"\n", offset)
    return len(data) if at < 0 else at + 1


def edits_between(file: str, old: bytes | None, new: bytes | None, mode: str = "100644") -> tuple[Edit, ...]:
    """Minimal whole-line edits that turn `old` into `new` (None: no such file), each unique in `old`.

    Raises EditError if a changed part is not UTF-8.
    """
    if old == new:
        return ()
    if old is None and new is not None:
        return (Edit(file=file, old_string="", new_string=_text(file, new), kind="create", mode=mode),)
    if old is not None and new is None:
        return (Edit(file=file, old_string=_text(file, old), new_string="", kind="delete", mode=mode),)
    if not old or new is None:
        raise EditError(f"{file}: an empty file can't be edited; create it instead")
    return tuple(_edit(file, before, after) for before, after in _hunks(old, new))


def _text(file: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise EditError(f"{file}: is not UTF-8 text ({error.reason})") from error


def _hunks(old: bytes, new: bytes) -> list[tuple[bytes, bytes]]:
    from difflib import SequenceMatcher

    a, b = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in a:
        starts.append(starts[-1] + len(line))
    spans = [
        EditSpan(starts[i1], starts[i2], b"".join(b[j1:j2]))
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
        if tag != "equal"
    ]
    return _unique_forward(old, spans)


def _unique_forward(old: bytes, spans: list[EditSpan]) -> list[tuple[bytes, bytes]]:
    """Like `_unique_both_ways`, but only the old side has to be unique: the smallest edit that can be applied."""
    groups = [_Group(s.start, s.end, [s]) for s in spans]
    while True:
        groups = _join(groups)
        for group in groups:
            before = old[group.start : group.end]
            if not before or len(occurrences(old, before)) != 1:
                group.grow(old)
                break
        else:
            return [(old[g.start : g.end], g.after(old)) for g in groups]


def overlay(read: Read, changes: Mapping[str, bytes | None]) -> Read:
    """`read` as if `changes` had been made."""
    return lambda path: changes[path] if path in changes else read(path)


def modes_of(edits: Iterable[Edit]) -> Mapping[str, str]:
    """Modes of the files that edits create."""
    return {edit.file: edit.mode for edit in edits if edit.kind == "create"}
