"""Rule: flags what newly reaches out of the process (network, commands, evaluated text)."""

from collections.abc import Iterator

from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.reading.marks import MarkKind

RULE = "reach"


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One flag for each file that reaches further than before."""
    return patch.report_added_marks(RULE, MarkKind.REACH, "reaches out of the process more than before ({})", flag=True)
