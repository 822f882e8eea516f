"""Rule: a race is fixed, not waited out. A back-off between attempts looks the same, so it is only flagged."""

from collections.abc import Iterator

from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.reading.marks import MarkKind

RULE = "sleeping"


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One flag for each file that waits more."""
    return patch.report_added_marks(
        RULE, MarkKind.SLEEP, "waits instead of repairing the race, unless it is a back-off ({})", True
    )
