"""Decides whether files contain a change, from files in which its state is known for certain. Pure.

Text alone is not reliable: what a deletion leaves is also part of the file that was never changed. So each change has a
*reference*: files in which it is known to be applied, or to be absent. The files in question are compared with the
reference and with its counterpart, the reference with the change inverted: by bytes, otherwise line by line, where the
one of the two that is unchanged at the change's place gives the state. Text decides only where the place was edited or
the reference is gone, and only where exactly one direction applies.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from healing.edits.align import Hunk, hunks_between
from healing.edits.exact import (
    Changes,
    EditError,
    Read,
    apply_edits,
    apply_whole_lines,
    edits_between,
    line_of,
    places,
    widen,
)
from healing.edits.merge import lines_of
from healing.model import Edit, Proposal

Known = Literal["applied", "absent"]
State = Literal["applied", "absent", "edited", "unclear"]
FLIPPED: dict[Known, Known] = {"applied": "absent", "absent": "applied"}


@dataclass(frozen=True)
class Tracked:
    """A change with the files in which its state is known. `status` says which it is, in case both directions apply
    there. Without a `reference`, text has to decide."""

    proposal: Proposal
    status: Known
    reference: Read | None

    @property
    def files(self) -> frozenset[str]:
        return frozenset(edit.file for edit in (*self.proposal.wide, *self.proposal.edits))


@dataclass(frozen=True)
class Presence:
    """The state of a change in some files. `edited`: its lines match neither state; `unclear`: both are possible.
    `turned` are the files with the change inverted, exactly at its place; None if that isn't known."""

    state: State
    turned: Changes | None = None


def presence(tracked: Tracked, now: Read, beside: Sequence[Proposal] = ()) -> Presence:
    """The state of the change in the files that `now` returns, if those `beside` it are known to be applied there
    too."""
    pair = _pair(tracked)
    for other in beside:
        pair = _with(other, pair) if pair else None
    if pair is None:
        return _by_text(tracked.proposal, now)
    windows: Windows = {}
    by_place = _by_place(pair, {path: now(path) for path in pair.before}, windows)
    if by_place.state != "edited" or not windows:
        return by_place
    by_text = _by_text(tracked.proposal, now)
    fitting = tracked.proposal.reverse if by_text.state == "applied" else tracked.proposal.wide
    return by_text if by_text.state == "unclear" or _inside(fitting, windows, now) else by_place


def presences(wanted: Iterable[str], tracked: Mapping[str, Tracked], now: Read) -> dict[str, Presence]:
    """The states of the `wanted` changes, by id. Changes that were made right beside each other at the same time can't
    be determined one by one: one that seems edited is compared again, as if the others were already in the
    reference."""
    found_by_id = {id_: presence(tracked[id_], now) for id_ in wanted}
    doubtful = [id_ for id_, change in found_by_id.items() if change.state == "edited"]
    if not doubtful:
        return found_by_id
    every = {id_: found_by_id.get(id_) or presence(change, now) for id_, change in tracked.items()}
    for states in (("applied",), ("applied", "edited")):
        for id_ in doubtful:
            if found_by_id[id_].state == "edited":
                others = [
                    change.proposal
                    for other, change in tracked.items()
                    if other != id_ and every[other].state in states and change.files & tracked[id_].files
                ]
                rechecked = presence(tracked[id_], now, others)
                if rechecked.state in ("applied", "absent"):
                    found_by_id[id_] = every[id_] = rechecked
    return found_by_id


def anchored(proposal: Proposal, state: State, now: Read, turned: Changes | None) -> Proposal | None:
    """The proposal with edits that apply to these files only at the change's place, so that they can be its next
    reference; None if there are no such edits."""
    if state not in ("applied", "absent"):
        return None
    edits = proposal.reverse if state == "applied" else proposal.wide
    opposite = proposal.wide if state == "applied" else proposal.reverse
    if turned is None:
        return proposal if _fits(edits, now) and not _fits(opposite, now) else None
    if _applied(edits, now) == turned and not _fits(opposite, now):
        return proposal
    try:
        return _recomputed(proposal, state, now, turned)
    except EditError:
        return None


def _recomputed(proposal: Proposal, state: State, now: Read, turned: Changes) -> Proposal:
    current = {path: now(path) for path in turned}
    before, after = (turned, current) if state == "applied" else (current, turned)
    modes = {edit.file: edit.mode for edit in proposal.edits}
    edits = [e for path in sorted(turned) for e in edits_between(path, before[path], after[path], modes[path])]
    widened = widen(edits, before.get)
    return proposal.model_copy(update={"wide": widened.wide, "reverse": widened.reverse})


Files = dict[str, bytes | None]
Windows = dict[str, list[tuple[int, int]]]  # path → first and last line (from 0) of edits at the change's place


class Pair(NamedTuple):
    """The state of a change in its reference, the files there, and the same files with it inverted."""

    known: Known
    before: Files
    after: Files


def _pair(tracked: Tracked) -> Pair | None:
    read, proposal = tracked.reference, tracked.proposal
    if read is None:
        return None
    without, with_it = _applied(proposal.reverse, read), _applied(proposal.wide, read)
    if without is not None and with_it is not None:  # stored before `widen` ensured that only one applies
        without, with_it = (without, None) if tracked.status == "applied" else (None, with_it)
    turned = with_it if without is None else without
    if turned is None:
        return None
    return Pair("absent" if without is None else "applied", {path: read(path) for path in turned}, turned)


def _with(other: Proposal, pair: Pair) -> Pair:
    """The pair with another change applied to both sides, if it applies to both; otherwise the pair unchanged."""
    before, after = _applied(other.wide, pair.before.get), _applied(other.wide, pair.after.get)
    if before is None or after is None:
        before, after = _applied_anywhere(other.edits, pair.before.get), _applied_anywhere(other.edits, pair.after.get)
    if before is None or after is None:
        return pair
    keep = pair.before.keys()
    return Pair(
        pair.known,
        pair.before | {path: data for path, data in before.items() if path in keep},
        pair.after | {path: data for path, data in after.items() if path in keep},
    )


def _applied(edits: Sequence[Edit], read: Read) -> Changes | None:
    try:
        return apply_whole_lines(edits, read) or None
    except EditError:
        return None


def _applied_anywhere(edits: Sequence[Edit], read: Read) -> Changes | None:
    try:
        return apply_edits(edits, read) or None
    except EditError:
        return None


def _fits(edits: Sequence[Edit], read: Read) -> bool:
    return _applied(edits, read) is not None


# By place ------------------------------------------------------------------------------------------------------------


def _by_place(pair: Pair, now: Files, windows: Windows) -> Presence:
    """The state by comparison with the pair. Adds to `windows` the lines that match neither side."""
    known, before, after = pair
    if now == before:
        return Presence(known, after)
    if now == after:
        return Presence(FLIPPED[known], before)
    states: set[State] = set()
    turned: Changes = {}
    for path, old in before.items():
        in_file = _of_file(known, old, after[path], now[path])
        states |= in_file.states
        turned[path] = in_file.turned
        if in_file.edited:
            windows[path] = list(in_file.edited)
    if len(states) == 1:
        (state,) = states
        return Presence(state, turned if state in FLIPPED else None)
    return Presence("unclear" if "unclear" in states else "edited")


class InFile(NamedTuple):
    """The states of a change's parts in one file, the file with all of them inverted (if they have the same state), and
    the positions of edited ones."""

    states: set[State]
    turned: bytes | None = None
    edited: tuple[tuple[int, int], ...] = ()


def _of_file(known: Known, old: bytes | None, turned: bytes | None, now: bytes | None) -> InFile:
    if now in (old, turned):
        return InFile({known}, turned) if now == old else InFile({FLIPPED[known]}, old)
    if old is None or turned is None or now is None:
        return InFile({"edited"})
    x, y, h = lines_of(old), lines_of(turned), lines_of(now)
    from_x, from_y = hunks_between(x, h), hunks_between(y, h)
    parts = hunks_between(x, y)
    states: set[State] = set()
    edited: list[tuple[int, int]] = []
    for part in parts:
        of_x = [hunk for hunk in from_x if _touches(hunk, part.start, part.end)]
        of_y = [hunk for hunk in from_y if _touches(hunk, part.new_start, part.new_end)]
        if not of_x and not of_y:
            distance = _size(from_x) - _size(from_y)
            states.add("unclear" if not distance else known if distance < 0 else FLIPPED[known])
        elif of_x and of_y:
            states.add("edited")
            hunks = (*of_x, *of_y)
            edited.append((min(hunk.new_start for hunk in hunks), max(hunk.new_end for hunk in hunks)))
        else:
            states.add(FLIPPED[known] if of_x else known)
    if states == {known}:
        return InFile(
            states, _turned([(part.start, part.end, y[part.new_start : part.new_end]) for part in parts], from_x, h)
        )
    if states == {FLIPPED[known]}:
        return InFile(
            states, _turned([(part.new_start, part.new_end, x[part.start : part.end]) for part in parts], from_y, h)
        )
    return InFile(states, None, tuple(edited))


def _turned(parts: list[tuple[int, int, list[bytes]]], hunks: list[Hunk], lines: list[bytes]) -> bytes:
    """The lines with the parts' lines replaced by others; no hunk touches a part."""
    result: list[bytes] = []
    position = 0
    for start, end, other in parts:
        moved = sum(hunk.new_end - hunk.new_start - (hunk.end - hunk.start) for hunk in hunks if hunk.end <= start)
        result += [*lines[position : start + moved], *other]
        position = end + moved
    return b"".join([*result, *lines[position:]])


def _inside(edits: Sequence[Edit], windows: Windows, now: Read) -> bool:
    """Whether each window contains one of the edits: the same text elsewhere belongs to something else."""
    return all(
        any(_overlaps(edit, first, last, now(path) or b"") for edit in edits if edit.file == path)
        for path, spans in windows.items()
        for first, last in spans
    )


def _overlaps(edit: Edit, first: int, last: int, data: bytes) -> bool:
    for offset in places(data, edit):
        start = line_of(data, offset) - 1
        if start <= last and start + edit.old_string.count("\n") >= first:
            return True
    return False


def _touches(hunk: Hunk, start: int, end: int) -> bool:
    """Whether a hunk changes the lines start:end, or inserts between them. If there are none (the change is an
    absence), it is enough that the hunk ends or starts there."""
    if start == end:
        return hunk.start <= start <= hunk.end
    if hunk.start == hunk.end:
        return start < hunk.start < end
    return hunk.start < end and hunk.end > start


def _size(hunks: list[Hunk]) -> int:
    return sum(hunk.end - hunk.start + hunk.new_end - hunk.new_start for hunk in hunks)


# By text -------------------------------------------------------------------------------------------------------------


def _by_text(proposal: Proposal, now: Read) -> Presence:
    """The state by text: certain only if exactly one direction applies. An edit whose new text contains its old one
    also applies where it was already made, so that it applies shows nothing."""
    forward, back = (_applied(edits, now) for edits in (proposal.wide, proposal.reverse))
    if forward is not None and back is not None:
        return Presence("unclear")
    if forward is not None and all(map(_is_conclusive, proposal.wide)):
        return Presence("absent", forward)
    if back is not None and all(map(_is_conclusive, proposal.reverse)):
        return Presence("applied", back)
    return Presence("edited" if forward is None and back is None else "unclear")


def _is_conclusive(edit: Edit) -> bool:
    return edit.kind != "replace" or not places(edit.new_string.encode(), edit)
