"""Rule: a fix is small. More than that is a rewrite, which nobody can review in a suggestion."""

from collections.abc import Mapping

from healing.model import CIError

MOST_FILES = 25
MOST_LINES = 800


def refusals(changes: Mapping[str, tuple[bytes | None, bytes | None]], errors: tuple[CIError, ...]) -> list[str]:
    """One sentence where the change touches too many files or lines."""
    found = []
    if len(changes) > MOST_FILES:
        found.append(f"it changes {len(changes)} files; at most {MOST_FILES} are allowed")
    lines = sum(_changed_lines(old or b"", new or b"") for old, new in changes.values())
    if lines > MOST_LINES:
        found.append(f"it changes about {lines} lines; at most {MOST_LINES} are allowed")
    return found


def _changed_lines(old: bytes, new: bytes) -> int:
    before, after = old.splitlines(), new.splitlines()
    same = len(set(before) & set(after))
    return max(len(before), len(after)) - same
