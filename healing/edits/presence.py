"""Whether a change is in the files or not, decided from where it is known for certain. Pure.

Text alone is a poor witness: what a deletion leaves is also part of the file that was never changed. So each change
has a *reference*: files at which it is known to be applied, or to be absent. The files in question are compared with
the reference and with its counterpart, the reference with the change turned round: by bytes, else line by line, where
whichever of the two is unchanged at the place of the change says how it is. Text decides only where the place was
edited or the reference is gone, and only where exactly one direction fits.
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
    """A change with the files at which its state is known; `status` says which it is, in case both directions fit
    there. Without a `reference` text has to decide."""

    proposal: Proposal
    status: Known
    reference: Read | None

    @property
    def files(self) -> frozenset[str]:
        return frozenset(edit.file for edit in (*self.proposal.wide, *self.proposal.edits))


@dataclass(frozen=True)
class Presence:
    """How a change stands in some files. `edited`: its lines are neither as with it nor as without it; `unclear`: both
    could be. `turned` are the files with it turned round, exactly at its place; None where that isn't known."""

    state: State
    turned: Changes | None = None


def presence(tracked: Tracked, now: Read, beside: Sequence[Proposal] = ()) -> Presence:
    """How the change stands in the files that `now` gives, where those `beside` it are known to be there too."""
    pair = _pair(tracked)
    for other in beside:
        pair = _with(other, pair) if pair else None
    if pair is None:
        return _by_text(tracked.proposal, now)
    windows: Windows = {}
    found = _by_place(pair, {path: now(path) for path in pair.before}, windows)
    if found.state != "edited" or not windows:
        return found
    by_text = _by_text(tracked.proposal, now)
    fitting = tracked.proposal.reverse if by_text.state == "applied" else tracked.proposal.wide
    return by_text if by_text.state == "unclear" or _inside(fitting, windows, now) else found


def presences(wanted: Iterable[str], tracked: Mapping[str, Tracked], now: Read) -> dict[str, Presence]:
    """Of the `wanted` ones of several changes, by their ids. Those that were made right beside each other, and at once,
    can't be known from edits one by one: what nothing else explains is looked at as if the others were in the reference
    already."""
    found = {id_: presence(tracked[id_], now) for id_ in wanted}
    doubtful = [id_ for id_, one in found.items() if one.state == "edited"]
    if not doubtful:
        return found
    every = {id_: found.get(id_) or presence(one, now) for id_, one in tracked.items()}
    for states in (("applied",), ("applied", "edited")):
        for id_ in doubtful:
            if found[id_].state == "edited":
                others = [
                    one.proposal
                    for other, one in tracked.items()
                    if other != id_ and every[other].state in states and one.files & tracked[id_].files
                ]
                again = presence(tracked[id_], now, others)
                if again.state in ("applied", "absent"):
                    found[id_] = every[id_] = again
    return found


def anchored(proposal: Proposal, state: State, now: Read, turned: Changes | None) -> Proposal | None:
    """The proposal with edits whose text fits these files exactly where its change is, so that they can be its next
    reference; None where they can't be."""
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
    here = {path: now(path) for path in turned}
    before, after = (turned, here) if state == "applied" else (here, turned)
    modes = {edit.file: edit.mode for edit in proposal.edits}
    edits = [e for path in sorted(turned) for e in edits_between(path, before[path], after[path], modes[path])]
    both = widen(edits, before.get)
    return proposal.model_copy(update={"wide": both.wide, "reverse": both.reverse})


Files = dict[str, bytes | None]
Windows = dict[
    str, list[tuple[int, int]]
]  # path → first and last line (from 0) of what was edited at the change's place


class Pair(NamedTuple):
    """How a change stands at its reference, the files there, and the same files with it turned round."""

    known: Known
    before: Files
    after: Files


def _pair(tracked: Tracked) -> Pair | None:
    read, proposal = tracked.reference, tracked.proposal
    if read is None:
        return None
    without, with_it = _applied(proposal.reverse, read), _applied(proposal.wide, read)
    if without is not None and with_it is not None:  # stored before edits were made so that this can't be
        without, with_it = (without, None) if tracked.status == "applied" else (None, with_it)
    turned = with_it if without is None else without
    if turned is None:
        return None
    return Pair("absent" if without is None else "applied", {path: read(path) for path in turned}, turned)


def _with(other: Proposal, pair: Pair) -> Pair:
    """Both sides with another change put in, if it fits both: else it says nothing about this one."""
    before, after = _applied(other.wide, pair.before.get), _applied(other.wide, pair.after.get)
    if before is None or after is None:
        before, after = _anywhere(other.edits, pair.before.get), _anywhere(other.edits, pair.after.get)
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


def _anywhere(edits: Sequence[Edit], read: Read) -> Changes | None:
    try:
        return apply_edits(edits, read) or None
    except EditError:
        return None


def _fits(edits: Sequence[Edit], read: Read) -> bool:
    return _applied(edits, read) is not None


# By place ------------------------------------------------------------------------------------------------------------


def _by_place(pair: Pair, now: Files, windows: Windows) -> Presence:
    """Notes in `windows` where lines are neither's."""
    known, before, after = pair
    if now == before:
        return Presence(known, after)
    if now == after:
        return Presence(FLIPPED[known], before)
    seen: set[State] = set()
    turned: Changes = {}
    for path, old in before.items():
        found = _of_file(known, old, after[path], now[path])
        seen |= found.states
        turned[path] = found.turned
        if found.edited:
            windows[path] = list(found.edited)
    if len(seen) == 1:
        (state,) = seen
        return Presence(state, turned if state in FLIPPED else None)
    return Presence("unclear" if "unclear" in seen else "edited")


class InFile(NamedTuple):
    """How the parts of a change stand in one file, the file with all of them turned round (if they stand alike), and
    where those are that were edited."""

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
            both = (*of_x, *of_y)
            edited.append((min(hunk.new_start for hunk in both), max(hunk.new_end for hunk in both)))
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
    """The lines with other ones at the places of the parts, which no hunk touches."""
    done: list[bytes] = []
    at = 0
    for start, end, other in parts:
        moved = sum(hunk.new_end - hunk.new_start - (hunk.end - hunk.start) for hunk in hunks if hunk.end <= start)
        done += [*lines[at : start + moved], *other]
        at = end + moved
    return b"".join([*done, *lines[at:]])


def _inside(edits: Sequence[Edit], windows: Windows, now: Read) -> bool:
    """Whether in each window there is one of the edits: the same text elsewhere is another's."""
    return all(
        any(_overlaps(edit, first, last, now(path) or b"") for edit in edits if edit.file == path)
        for path, found in windows.items()
        for first, last in found
    )


def _overlaps(edit: Edit, first: int, last: int, data: bytes) -> bool:
    for at in places(data, edit):
        start = line_of(data, at) - 1
        if start <= last and start + edit.old_string.count("\n") >= first:
            return True
    return False


def _touches(hunk: Hunk, start: int, end: int) -> bool:
    """Whether a hunk changes the lines start:end, or puts lines between them. Where there are none (the change is what
    isn't there) it is enough that it ends or starts there."""
    if start == end:
        return hunk.start <= start <= hunk.end
    if hunk.start == hunk.end:
        return start < hunk.start < end
    return hunk.start < end and hunk.end > start


def _size(hunks: list[Hunk]) -> int:
    return sum(hunk.end - hunk.start + hunk.new_end - hunk.new_start for hunk in hunks)


# By text -------------------------------------------------------------------------------------------------------------


def _by_text(proposal: Proposal, now: Read) -> Presence:
    """Exactly one direction fits, or nothing is reported. An edit whose new text holds its old one fits also where it
    was made already: that it fits shows nothing."""
    forward, back = (_applied(edits, now) for edits in (proposal.wide, proposal.reverse))
    if forward is not None and back is not None:
        return Presence("unclear")
    if forward is not None and all(map(_telling, proposal.wide)):
        return Presence("absent", forward)
    if back is not None and all(map(_telling, proposal.reverse)):
        return Presence("applied", back)
    return Presence("edited" if forward is None and back is None else "unclear")


def _telling(edit: Edit) -> bool:
    return edit.kind != "replace" or not places(edit.new_string.encode(), edit)
