"""Rule: comparisons compare: no `__eq__` or `__bool__` that answers without a look at what it is asked about."""

from collections.abc import Iterator

from healing.guard.patch import Finding, Patch
from healing.guard.reading.marks import Kind

RULE = "equality"


def findings(patch: Patch) -> Iterator[Finding]:
    """One finding for each file with more of them."""
    return patch.complain(RULE, Kind.EQUALITY, "swallows failures: a comparison that does not compare ({})")
