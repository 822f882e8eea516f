"""Rule: what newly reaches out of the process (network, commands, evaluated text) is for a person to look at."""

from collections.abc import Iterator

from healing.guard.patch import Finding, Patch
from healing.guard.reading.marks import Kind

RULE = "reach"


def findings(patch: Patch) -> Iterator[Finding]:
    """One flag for each file that reaches further than before."""
    return patch.complain(RULE, Kind.REACH, "reaches out of the process more than before ({})", flag=True)
