"""Rule: failures are not swallowed by broad handlers; where a certain failure is passed over, a person should look."""

from collections.abc import Iterator

from healing.guard.patch import Finding, Patch
from healing.guard.reading.marks import Kind

RULE = "excepts"


def findings(patch: Patch) -> Iterator[Finding]:
    """One finding for each file that swallows more."""
    yield from patch.complain(RULE, Kind.SWALLOW, "swallows failures instead of repairing them ({})")
    yield from patch.complain(RULE, Kind.QUIET, "passes over a failure without a word ({})", flag=True)
