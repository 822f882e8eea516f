"""Rule: an error is fixed, not silenced (`noqa`, `type: ignore`, `as any`, `#[allow]` and the like)."""

from collections.abc import Iterator

from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.reading.marks import MarkKind

RULE = "silencing"


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each file that silences more."""
    return patch.report_added_marks(RULE, MarkKind.SILENCER, "silences a rule instead of repairing what it found ({})")
