"""Rule: no test is kept from running: skip marks, `only`, build tags, retries, and code that raises a skip."""

from collections.abc import Iterator

from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_file
from healing.verify.guard.reading.marks import MarkKind

RULE = "skips"


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each file that skips more. A build tag in product code selects a platform: that is only
    flagged."""
    for file, details in patch.gained(MarkKind.SKIP):
        tag = set(details) == {"build tag"} and not is_test_file(file.path) and not file.readings[0].tests
        yield GuardFinding(RULE, file.path, f"skips more than before ({', '.join(details)})"[:160], tag)
