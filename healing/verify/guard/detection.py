"""Rule: code does not check whether it is being tested or runs in CI."""

from collections.abc import Iterator

from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.reading.marks import MarkKind

RULE = "detection"


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each file that checks for it more than before."""
    return patch.report_added_marks(RULE, MarkKind.DETECTION, "asks whether it is being tested ({})")
