"""Rule: a race is repaired, not waited out. A back-off between tries looks the same, so a person tells them apart."""

from collections.abc import Iterator

from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.reading.marks import MarkKind

RULE = "sleeping"


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One flag for each file that waits more."""
    return patch.complain(
        RULE, MarkKind.SLEEP, "waits instead of repairing the race, unless it is a back-off ({})", True
    )
