"""Rule: a race is repaired, not waited out. A back-off between tries looks the same, so a person tells them apart."""

from collections.abc import Iterator

from healing.guard.patch import Finding, Patch
from healing.guard.reading.marks import Kind

RULE = "sleeping"


def findings(patch: Patch) -> Iterator[Finding]:
    """One flag for each file that waits more."""
    return patch.complain(RULE, Kind.SLEEP, "waits instead of repairing the race, unless it is a back-off ({})", True)
