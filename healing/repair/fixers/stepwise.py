"""A fix in several steps: a test that meets two faults reports one at a time, and is red until both are repaired."""

from collections import Counter
from collections.abc import Iterable

from healing.edits.exact import EditError, apply_edits, edits_between, modes_of
from healing.model import Candidate, CIError
from healing.view import TreeView


def got_further(before: Iterable[CIError], seen: TreeView, left: Iterable[CIError], after: TreeView) -> bool:
    """Whether every error that a refused candidate left is another one than before: with another message, or at a line
    that says something else. `seen` and `after` are the files without and with the candidate."""
    known = {(error.message, _line(error, seen)) for error in before}
    now = [(error.message, _line(error, after)) for error in left]
    return bool(now) and known.isdisjoint(now)


def _line(error: CIError, view: TreeView) -> bytes:
    lines = (view.read(error.file) or b"").splitlines() if error.file else []
    return lines[error.line - 1].strip() if error.line and error.line <= len(lines) else b""


def joined(first: Candidate, step: Candidate, seen: TreeView, after: TreeView) -> Candidate | None:
    """Both changes as one candidate. `first` is made on the files of `seen`, `step` on those of `after`, which hold the
    first change. None where the step takes a line of the first change back, for then only one of them is right."""
    try:
        middle, last = apply_edits(first.edits, seen.read), apply_edits(step.edits, after.read)
        if any(_returns(seen.read(path), middle.get(path), new) for path, new in last.items() if path in middle):
            return None
        whole, modes = {**middle, **last}, {**modes_of(first.edits), **modes_of(step.edits)}
        edits = tuple(
            edit
            for path, new in sorted(whole.items())
            for edit in edits_between(path, seen.read(path), new, modes.get(path, "100644"))
        )
    except EditError:
        return None
    return first.model_copy(
        update={
            "title": _both(first.title, f"{step.title[:1].lower()}{step.title[1:]}", ", "),
            "explanation": _both(first.explanation, step.explanation, " "),
            "confidence": min(first.confidence, step.confidence),
            "flags": tuple(dict.fromkeys((*first.flags, *step.flags))),
            "edits": edits,
        }
    )


def _both(first: str, step: str, between: str) -> str:
    """Both texts; a step that only takes in more files, or tests, says the same as the first."""
    return first if step.lower() in first.lower() else f"{first}{between}{step}"


def _returns(old: bytes | None, middle: bytes | None, new: bytes | None) -> bool:
    """Whether `new` has lines again that the way from `old` to `middle` took away."""
    lines = [Counter(line.strip() for line in (data or b"").splitlines()) for data in (old, middle, new)]
    return any((lines[0] - lines[1]) & (lines[2] - lines[1]))
