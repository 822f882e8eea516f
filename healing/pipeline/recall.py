"""Memory, the third free step: tries a fix that a person accepted for the same error before.

First the same edits, where their text still exists; then the fix's pattern: the rewrite that it made to the line of the
error is applied to the line of an error with the same rule and shape. The candidates are proven by the verifier.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from healing.edits.exact import EditError, apply_edits, edits_between
from healing.model import Candidate, CIError, Edit, RootCause
from healing.repair.agents.memory import WorkedFix
from healing.view import TreeView

LIMIT = 5  # candidates for one cause: each costs a run of a check
MAX_LENGTH = 400  # characters of a line from which a pattern is taken
CONFIDENCE = 85
TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
CONTEXT = (3, 2, 1, 0)  # tokens on each side that have to match, the most specific first


@dataclass(frozen=True)
class Rewrite:
    """What a fix changed in one line: `old` became `new` between `left` and `right`; all are tokens."""

    left: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    right: tuple[str, ...]

    def applied(self, line: str) -> str | None:
        """The line with the rewrite applied at the one place where it fits; None where it fits nowhere, or at several
        places even with the most context."""
        tokens = TOKEN.findall(line)
        for width in CONTEXT:
            left, right = self.left[-width:] if width else (), self.right[:width]
            if not (left or self.old or right) or not (self.old or (left and right)):
                continue
            wanted = [*left, *self.old, *right]
            places = [i for i in range(len(tokens) - len(wanted) + 1) if tokens[i : i + len(wanted)] == wanted]
            if len(places) == 1:
                start = places[0] + len(left)
                return "".join([*tokens[:start], *self.new, *tokens[start + len(self.old) :]])
            if places:
                return None
        return None


def recall(
    cause: RootCause, errors: tuple[CIError, ...], fixes: tuple[WorkedFix, ...], view: TreeView
) -> Iterator[Candidate]:
    """Yields candidates for one cause from accepted fixes, newest first, without duplicates; at most LIMIT."""
    seen: set[tuple[Edit, ...]] = set()
    for fix in fixes:
        for edits in (_as_it_was(cause, fix, view), _by_pattern(cause, errors, fix, view)):
            if edits and edits not in seen and len(seen) < LIMIT:
                seen.add(edits)
                yield _candidate(cause, fix, edits)


def _candidate(cause: RootCause, fix: WorkedFix, edits: tuple[Edit, ...]) -> Candidate:
    return Candidate(
        source=f"memory:{fix.proposal}",
        phase="free",
        title=fix.title,
        explanation=f"The same error was fixed before, and that fix was accepted ({fix.proposal}).",
        confidence=CONFIDENCE,
        error_ids=cause.error_ids,
        edits=edits,
    )


def _as_it_was(cause: RootCause, fix: WorkedFix, view: TreeView) -> tuple[Edit, ...]:
    """The same edits, where the cause is the same and each edit still applies."""
    if fix.cause != cause.fingerprint:
        return ()
    try:
        changes = apply_edits(fix.edits, view.read)
    except EditError:
        return ()
    return fix.edits if any(view.read(path) != new for path, new in changes.items()) else ()


def _by_pattern(cause: RootCause, errors: tuple[CIError, ...], fix: WorkedFix, view: TreeView) -> tuple[Edit, ...]:
    """The fix's rewrite applied to the line of every error of the cause; empty where it doesn't fit one of them."""
    rewrite = rewrite_of(fix)
    if rewrite is None or fix.shape != cause.shape:
        return ()
    lines: dict[str, list[str]] = {}
    for file, number in sorted({(e.file, e.line) for e in errors if e.file and e.line}):
        if file not in lines:
            raw = view.read(file)
            text = _decoded(raw)
            if text is None:
                return ()
            lines[file] = text.split("\n")
        if number > len(lines[file]) or (new := rewrite.applied(lines[file][number - 1])) is None:
            return ()
        lines[file][number - 1] = new
    try:
        changed = ((file, edits_between(file, view.read(file), "\n".join(new).encode())) for file, new in lines.items())
        return tuple(edit for _, edits in changed for edit in edits)
    except EditError:
        return ()


def rewrite_of(fix: WorkedFix) -> Rewrite | None:
    """The rewrite that a fix made, where its only change is within one line; None for every other fix."""
    if len(fix.edits) != 1 or fix.edits[0].kind != "replace":
        return None
    old, new = fix.edits[0].old_string.split("\n"), fix.edits[0].new_string.split("\n")
    if len(old) != len(new):
        return None
    differing = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    if len(differing) != 1 or max(map(len, differing[0])) > MAX_LENGTH:
        return None
    return _between(TOKEN.findall(differing[0][0]), TOKEN.findall(differing[0][1]))


def _between(old: list[str], new: list[str]) -> Rewrite | None:
    blocks = [op for op in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if op[0] != "equal"]
    if not blocks:
        return None
    first, last = blocks[0], blocks[-1]
    old_from, old_to, new_from, new_to = first[1], last[2], first[3], last[4]
    return Rewrite(
        left=tuple(old[:old_from]),
        old=tuple(old[old_from:old_to]),
        new=tuple(new[new_from:new_to]),
        right=tuple(old[old_to:]),
    )


def _decoded(raw: bytes | None) -> str | None:
    if raw is None:
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
