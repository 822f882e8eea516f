"""Rule: comparisons compare: no `__eq__` or `__bool__` that answers without reading what it compares."""

from collections.abc import Iterator

from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.reading.marks import MarkKind

RULE = "equality"


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each file with more of them."""
    return patch.report_added_marks(
        RULE, MarkKind.EQUALITY, "swallows failures: a comparison that does not compare ({})"
    )
