"""Rule: code does not ask whether it is being tested, or whether it runs in CI."""

from collections.abc import Iterator

from healing.guard.patch import Finding, Patch
from healing.guard.reading.marks import Kind

RULE = "detection"


def findings(patch: Patch) -> Iterator[Finding]:
    """One finding for each file that asks for it more than before."""
    return patch.complain(RULE, Kind.DETECTION, "asks whether it is being tested ({})")
