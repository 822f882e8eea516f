"""Rule: failures are not swallowed by broad handlers; where a certain failure is passed over, a person should look."""

import re
from collections.abc import Iterator

from healing.guard.patch import Finding, Patch
from healing.guard.reading.marks import Kind
from healing.guard.reading.text import plain

RULE = "excepts"
ENDING = re.compile(r"recover\(\)[^}]{0,400}?\b(?:os\.Exit\((?!0\))|log\.(?:Fatal|Panic)|panic\()")


def findings(patch: Patch) -> Iterator[Finding]:
    """One finding for each file that swallows more. What recovers from a panic only to end the program swallows none:
    a person looks."""
    for file, details in patch.gained(Kind.SWALLOW):
        ends = set(details) == {"recover"} and _ends(file.new) > _ends(file.old)
        shown = ", ".join(details)[:120]
        yield Finding(RULE, file.path, f"swallows failures instead of repairing them ({shown})", ends)
    yield from patch.complain(RULE, Kind.QUIET, "passes over a failure without a word ({})", flag=True)


def _ends(data: bytes | None) -> int:
    return len(ENDING.findall(plain(data or b"")))
