"""Rule: an error is repaired, not told to be quiet (`noqa`, `type: ignore`, `as any`, `#[allow]` and their kin)."""

from collections.abc import Iterator

from healing.guard.patch import Finding, Patch
from healing.guard.reading.marks import Kind

RULE = "silencing"


def findings(patch: Patch) -> Iterator[Finding]:
    """One finding for each file that silences more."""
    return patch.complain(RULE, Kind.SILENCER, "silences a rule instead of repairing what it found ({})")
