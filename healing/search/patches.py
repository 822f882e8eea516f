"""Candidate patches: every template where the suspicious lines are, the most suspicious first."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from healing.graph.syntax import parse
from healing.search.source import Change, Source, head
from healing.search.suspects import Scores
from healing.search.templates import TEMPLATES
from healing.view import TreeView

MOST = 600  # patches of one rank


@dataclass(frozen=True)
class Patch:
    """One change of one file by one template. `written_now`: the pull request wrote the line."""

    file: str
    template: str
    change: Change
    score: float
    written_now: bool = False

    def applied(self, data: bytes) -> bytes:
        """The whole file with the change in it."""
        return data[: self.change.start] + self.change.text.encode() + data[self.change.end :]


def make_patches(scores: Scores, view: TreeView, before: TreeView | None) -> dict[int, list[Patch]]:
    """Rank → patches, likeliest first: those on lines that the pull request wrote, then by suspicion."""
    ranks: dict[int, list[Patch]] = {0: [], 1: []}
    for file in sorted(scores):
        data = view.read(file)
        source = Source.of(data) if data is not None else None
        if data is not None and source is not None:
            old = before.read(file) if before is not None else None
            for patch in _of_file(file, source, scores[file], written_now(old, data)):
                ranks[patch.change.rank].append(patch)
    order = {name: number for number, name in enumerate(TEMPLATES)}
    for patches in ranks.values():
        patches.sort(key=lambda p: (not p.written_now, -p.score, order[p.template], p.file, p.change.start))
        del patches[MOST:]
    return ranks


def _of_file(file: str, source: Source, scores: Mapping[int, float], fresh: frozenset[int]) -> Iterator[Patch]:
    by_line = _by_line(source.tree, scores)
    lines = frozenset(by_line)
    seen = {source.data}
    for name, template in TEMPLATES.items():
        for change in template(source, lines):
            patch = Patch(file, name, change, by_line.get(change.line, 0.0), change.line in fresh)
            result = patch.applied(source.data)
            if result not in seen:
                seen.add(result)
                yield patch


def _by_line(tree: ast.Module, scores: Mapping[int, float]) -> dict[int, float]:
    """Line → the score of the statement that it is in: of a long one only some lines are ever told."""
    found: dict[int, float] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            score = max((scores.get(line, 0.0) for line in head(node)), default=0.0)
            for line in head(node) if score else ():
                found[line] = max(found.get(line, 0.0), score)
    return found


def written_now(old: bytes | None, new: bytes) -> frozenset[int]:
    """The 1-based lines of `new` that are not in `old`; none where it isn't known."""
    if old is None:
        return frozenset()
    matcher = SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    spans = [range(j1 + 1, j2 + 1) for tag, _, _, j1, j2 in matcher.get_opcodes() if tag != "equal"]
    return frozenset(line for span in spans for line in span)


def gives_back(patch: Patch, data: bytes, before: TreeView | None) -> bool:
    """Whether the patch only writes again what the pull request took away: that is not for Heal to offer."""
    old = before.read(patch.file) if before is not None else None
    if old is None:
        return False
    return len(written_now(old, patch.applied(data))) < len(written_now(old, data))


def distinct(patches: list[Patch], view: TreeView) -> list[Patch]:
    """The patches that differ in what the program is, not only in how it is written."""
    kept: dict[tuple[str, str], Patch] = {}
    for patch in patches:
        tree = parse(patch.applied(view.read(patch.file) or b""))
        if tree is not None:
            kept.setdefault((patch.file, ast.dump(tree)), patch)
    return list(kept.values())
