"""Rule: no test is told not to run: skip marks, `only`, build tags, retries, and code that raises a skip."""

from collections.abc import Iterator

from healing.guard.patch import Finding, Patch
from healing.guard.reading.marks import Kind

RULE = "skips"


def findings(patch: Patch) -> Iterator[Finding]:
    """One finding for each file that skips more."""
    return patch.complain(RULE, Kind.SKIP, "skips more than before ({})")
