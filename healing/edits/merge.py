"""The three-way merge: of texts by lines, of trees by their changes. Pure, and never clean where git would conflict.

Which lines of two texts correspond is ambiguous; git picks one alignment. Here a hunk is as wide as it is ambiguous
(healing/edits/align.py), so that the result holds for any alignment git may pick.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeVar

from healing.edits.align import Hunk, hunks_between

T = TypeVar("T")
MAX_TEXT = 10 << 20  # bytes; larger texts are not merged by lines
SIMILAR = 0.4  # git calls it a rename from 0.5 on; a lower value is more careful


class TreeEntry(NamedTuple):
    """An entry of a git tree: git's mode as a number, and the object's 40-digit hex id."""

    mode: int
    sha: str

    @property
    def regular(self) -> bool:
        return self.mode & 0o170000 == 0o100000

    @property
    def folder(self) -> bool:
        return self.mode & 0o170000 == 0o040000

    @property
    def link(self) -> bool:
        return self.mode & 0o170000 == 0o120000


Changes = Mapping[bytes, tuple[TreeEntry | None, TreeEntry | None]]  # path → (before, after); None: no such file
Side = Literal["ours", "theirs"]


@dataclass(frozen=True)
class Conflict:
    """A file that two sides changed incompatibly; None: the file doesn't exist on that side."""

    file: str
    base: bytes | None
    ours: bytes | None
    theirs: bytes | None


class TreeStore(Protocol):
    """What a tree merge needs from the object store."""

    def merge_blobs(self, base: str, ours: str, theirs: str) -> str | None:
        """Id of the merged text of three blobs; None if they conflict."""
        ...

    def similar(self, left: str, right: str) -> bool:
        """Whether git might consider the blob `right` a renamed `left`."""
        ...

    def folder(self, side: Side, path: bytes) -> bool:
        """Whether that side has a folder there."""
        ...


def merge_trees(
    ours: Changes, theirs: Changes, trees: TreeStore
) -> tuple[dict[bytes, TreeEntry | None], tuple[bytes, ...]]:
    """What to change in the base, and the paths in conflict, sorted. Renames are not followed: a change that git would
    have to resolve by a rename (moved on one side, moved elsewhere, changed or deleted on the other) is a conflict."""
    merged: dict[bytes, TreeEntry | None] = {}
    conflicts: set[bytes] = set()
    for path in ours.keys() | theirs.keys():
        if path in ours and path in theirs:
            result = _both(*ours[path], theirs[path][1], trees)
            if result is False:
                conflicts.add(path)
            else:
                merged[path] = result
        else:
            merged[path] = (ours.get(path) or theirs[path])[1]
    conflicts.update(_file_under_file(ours, theirs))
    conflicts.update(_moved_and_deleted(ours, theirs, trees))
    conflicts.update(_added_to_a_moved_folder("theirs", ours, theirs, trees))
    conflicts.update(_added_to_a_moved_folder("ours", theirs, ours, trees))
    return merged, tuple(sorted(conflicts))


def _both(
    base: TreeEntry | None, ours: TreeEntry | None, theirs: TreeEntry | None, trees: TreeStore
) -> TreeEntry | Literal[False] | None:
    if ours == theirs:
        return ours
    if base is None or ours is None or theirs is None:
        return False
    if not (base.regular and ours.regular and theirs.regular):
        return False
    mode = _pick(base.mode, ours.mode, theirs.mode)
    sha = _pick(base.sha, ours.sha, theirs.sha) or trees.merge_blobs(base.sha, ours.sha, theirs.sha)
    return False if mode is None or sha is None else TreeEntry(mode, sha)


def _pick(base: T, ours: T, theirs: T) -> T | None:
    if ours in (base, theirs):
        return theirs
    return ours if theirs == base else None


def _file_under_file(ours: Changes, theirs: Changes) -> Iterator[bytes]:
    """Paths where the merge would need a file and a folder with the same name."""
    kept = {path for side in (ours, theirs) for path, (_, after) in side.items() if after is not None}
    for path in kept:
        for parent in folders_above(path):
            if parent in kept:
                yield parent
                yield path


def folders_above(path: bytes) -> Iterator[bytes]:
    """The parent folders of a path: `a`, `a/b` for `a/b/c`."""
    at = path.find(b"/")
    while at >= 0:
        yield path[:at]
        at = path.find(b"/", at + 1)


def _moved_and_deleted(ours: Changes, theirs: Changes, trees: TreeStore) -> Iterator[bytes]:
    """Files deleted on both sides that at least one of them may have moved, and not to the same place."""
    deleted = [(path, before) for path, (before, after) in ours.items() if before and not after and _gone(theirs, path)]
    if not deleted:
        return
    new = [(path, after) for side in (ours, theirs) for path, (before, after) in side.items() if after and not before]
    lone = [(path, after) for path, after in new if ours.get(path) != theirs.get(path)]
    for path, before in deleted:
        for other, after in lone:
            if before.sha == after.sha or (before.regular and after.regular and trees.similar(before.sha, after.sha)):
                yield path
                yield other


def _gone(side: Changes, path: bytes) -> bool:
    return path in side and side[path][1] is None


def _added_to_a_moved_folder(
    adder: Side, mover_changes: Changes, adder_changes: Changes, trees: TreeStore
) -> Iterator[bytes]:
    """Files that one side adds to a folder that the other side has emptied while it added files, perhaps by moving
    it."""
    if not any(before is None for before, _ in mover_changes.values()):
        return
    emptied: set[bytes] = set()
    mover: Side = "ours" if adder == "theirs" else "theirs"
    for path, (_, after) in mover_changes.items():
        if after is None:
            emptied.update(parent for parent in folders_above(path) if not trees.folder(mover, parent))
    for path, (before, _) in adder_changes.items():
        if before is None and path not in mover_changes and any(parent in emptied for parent in folders_above(path)):
            yield path


def similar_texts(left: bytes, right: bytes) -> bool:
    """Whether git might consider one text a renamed and changed version of the other."""
    larger = max(len(left), len(right))
    if larger == 0:
        return False  # git never takes an empty file for a renamed one
    common = _pieces(left) & _pieces(right)
    return sum(len(piece) * count for piece, count in common.items()) >= SIMILAR * larger


def _pieces(text: bytes) -> Counter[bytes]:
    return Counter(line[at : at + 64] for line in text.splitlines(keepends=True) for at in range(0, len(line), 64))


def merge_text(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """The text with both sides' changes; None if they conflict (also for binaries, and texts over MAX_TEXT, that both
    changed)."""
    if base in (ours, theirs) or ours == theirs:
        return _pick(base, ours, theirs)
    if any(len(text) > MAX_TEXT or b"\0" in text[:8000] for text in (base, ours, theirs)):
        return None
    old, mine, yours = (lines_of(text) for text in (base, ours, theirs))
    return _merge_lines(old, (mine, hunks_between(old, mine)), (yours, hunks_between(old, yours)))


def lines_of(text: bytes) -> list[bytes]:
    """The lines of a text with their ends; only a line feed ends one, as in git."""
    lines = [line + b"\n" for line in text.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


Changed = tuple[list[bytes], list[Hunk]]  # a side's lines, and where they differ from the base


def _merge_lines(base: list[bytes], ours: Changed, theirs: Changed) -> bytes | None:
    parts: list[bytes] = []
    position = 0
    for mine, yours in _groups(ours[1], theirs[1]):
        start = min(hunk.start for hunk in mine + yours)
        end = max(hunk.end for hunk in mine + yours)
        a, b = _text(base, ours[0], mine, start, end), _text(base, theirs[0], yours, start, end)
        if mine and yours and a != b:
            return None
        parts += [*base[position:start], *(a if mine else b)]
        position = end
    return b"".join([*parts, *base[position:]])


def _groups(ours: list[Hunk], theirs: list[Hunk]) -> Iterator[tuple[list[Hunk], list[Hunk]]]:
    """Hunks in order, grouped where they touch, from whichever side."""
    group: tuple[list[Hunk], list[Hunk]] = ([], [])
    until = -1
    for hunk, which in sorted([(hunk, 0) for hunk in ours] + [(hunk, 1) for hunk in theirs]):
        if hunk.start > until and (group[0] or group[1]):
            yield group
            group = ([], [])
        group[which].append(hunk)
        until = max(until, hunk.end)
    if group[0] or group[1]:
        yield group


def _text(base: list[bytes], side: list[bytes], hunks: list[Hunk], start: int, end: int) -> list[bytes]:
    """The lines that a side has in place of base[start:end]."""
    lines: list[bytes] = []
    position = start
    for hunk in sorted(hunks):
        lines += base[position : hunk.start] + side[hunk.new_start : hunk.new_end]
        position = hunk.end
    return lines + base[position:end]
