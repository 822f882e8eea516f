"""Rule: a race is repaired, not waited out."""

from collections.abc import Iterator

from healing.guard.patch import Finding, Patch
from healing.guard.reading.marks import Kind

RULE = "sleeping"


def findings(patch: Patch) -> Iterator[Finding]:
    """One finding for each file that waits more."""
    return patch.complain(RULE, Kind.SLEEP, "waits instead of repairing the race ({})")
