"""Generates candidate patches: every template at the suspicious lines, the most suspicious first."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from healing.graph.python.syntax import parse
from healing.repair.search.source import Change, Source, head
from healing.repair.search.suspects import ExecutedLines
from healing.repair.search.templates import TEMPLATES
from healing.view import TreeView

LIMIT = 2000  # more can't be tried in the available time


@dataclass(frozen=True)
class Patch:
    """One change of one file by one template. `at_import`: its statement runs while modules are imported;
    `written_now`: the pull request wrote the line."""

    file: str
    template: str
    change: Change
    score: float
    at_import: bool
    written_now: bool

    def applied(self, data: bytes) -> bytes:
        """The whole file with the change applied."""
        return data[: self.change.start] + self.change.text.encode() + data[self.change.end :]


def make_patches(trace: ExecutedLines, view: TreeView, before: TreeView | None) -> list[Patch]:
    """All patches, likeliest first: those on lines that the pull request wrote, then by suspicion."""
    patches: list[Patch] = []
    for file in sorted(trace.scores):
        data = view.read(file)
        source = Source.of(data) if data is not None else None
        if data is not None and source is not None:
            fresh = written_now(before.read(file) if before is not None else None, data)
            patches += _of_file(file, source, trace, fresh)
    order = {name: number for number, name in enumerate(TEMPLATES)}
    patches.sort(key=lambda p: (not p.written_now, -p.score, order[p.template], p.file, p.change.start))
    return patches[:LIMIT]


def _of_file(file: str, source: Source, trace: ExecutedLines, fresh: frozenset[int]) -> Iterator[Patch]:
    statements = _suspicious(source.tree, trace.scores[file])
    lines = frozenset(statements)
    seen = {source.data}
    for name, template in TEMPLATES.items():
        for change in template(source, lines):
            rows, score = statements.get(change.line, (range(0), 0.0))
            at_import = any((file, row) in trace.imported for row in rows)
            patch = Patch(file, name, change, score, at_import, change.line in fresh)
            result = patch.applied(source.data)
            if result not in seen:
                seen.add(result)
                yield patch


def _suspicious(tree: ast.Module, scores: Mapping[int, float]) -> dict[int, tuple[range, float]]:
    """Line → the lines of the statement that contains it, and its score: a trace reports only some lines of a long
    statement."""
    by_line: dict[int, tuple[range, float]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            rows = head(node)
            score = max((scores.get(row, 0.0) for row in rows), default=0.0)
            by_line |= {row: (rows, score) for row in rows if score > by_line.get(row, (rows, 0.0))[1]}
    return by_line


def written_now(old: bytes | None, new: bytes) -> frozenset[int]:
    """The 1-based lines of `new` that are not in `old`; none where `old` isn't known."""
    if old is None:
        return frozenset()
    matcher = SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    spans = [range(j1 + 1, j2 + 1) for tag, _, _, j1, j2 in matcher.get_opcodes() if tag != "equal"]
    return frozenset(line for span in spans for line in span)


def only_reverts(patch: Patch, data: bytes, before: TreeView | None) -> bool:
    """Whether the patch only reverts a part of what the pull request changed: Heal doesn't offer that."""
    old = before.read(patch.file) if before is not None else None
    if old is None:
        return False
    return len(written_now(old, patch.applied(data))) < len(written_now(old, data))


def distinct(patches: Sequence[Patch], view: TreeView) -> list[Patch]:
    """The patches that differ in the resulting syntax tree, not only in how it is written."""
    kept: dict[tuple[str, str], Patch] = {}
    for patch in patches:
        tree = parse(patch.applied(view.read(patch.file) or b""))
        if tree is not None:
            kept.setdefault((patch.file, ast.dump(tree)), patch)
    return list(kept.values())
