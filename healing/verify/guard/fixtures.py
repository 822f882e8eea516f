"""Rule: what tests compare with (snapshots, golden files, test data) is not rewritten to make them pass."""

from collections.abc import Iterator

from healing.verify.guard.patch import AT_FAULT, GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_data

RULE = "fixtures"


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each such file that changes or is deleted; a flag if CI found fault with it. New files are
    allowed."""
    for file in patch.files:
        if not is_test_data(file.path) or file.old is None or _words(file.old) == _words(file.new):
            continue
        at_fault = file.path in patch.named and file.new is not None
        why = "data of tests changes" if at_fault else "is what tests compare with; the code is what has to be repaired"
        yield GuardFinding(RULE, file.path, f"{why}, {AT_FAULT}" if at_fault else why, at_fault)


def _words(data: bytes | None) -> list[bytes] | None:
    return None if data is None else data.split()
