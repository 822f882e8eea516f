"""Rule: failures are not swallowed by broad handlers; ignoring a specific failure is flagged for a person to judge."""

import re
from collections.abc import Iterator

from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.reading.marks import MarkKind
from healing.verify.guard.reading.text import plain

RULE = "excepts"
ENDING = re.compile(r"recover\(\)[^}]{0,400}?\b(?:os\.Exit\((?!0\))|log\.(?:Fatal|Panic)|panic\()")


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each file that swallows more. Recovering from a panic only to end the program swallows nothing:
    that is flagged."""
    for file, details in patch.gained(MarkKind.SWALLOW):
        ends = set(details) == {"recover"} and _ends(file.new) > _ends(file.old)
        shown = ", ".join(details)[:120]
        yield GuardFinding(RULE, file.path, f"swallows failures instead of repairing them ({shown})", ends)
    yield from patch.report_added_marks(RULE, MarkKind.QUIET, "passes over a failure without a word ({})", flag=True)


def _ends(data: bytes | None) -> int:
    return len(ENDING.findall(plain(data or b"")))
