"""Rule: clocks, randomness, the environment, built-ins, the test runner and the tested code are not patched."""

from collections.abc import Iterator

from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_file
from healing.verify.guard.reading.marks import MarkKind

RULE = "patching"


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each file that patches more. A new test may use mocks; existing tests may not get any."""
    yield from patch.report_added_marks(
        RULE, MarkKind.PATCH, "patches the clock, chance, the environment or a framework ({})"
    )
    yield from patch.report_added_marks(RULE, MarkKind.HOOK, "hooks into the test runner ({})")
    for file, details in patch.gained(MarkKind.MOCK):
        before, after = file.readings
        if before.tests and len(after.tests) <= len(before.tests):
            yield GuardFinding(RULE, file.path, f"replaces what is tested by a stand-in ({', '.join(details)})")
    for file in patch.files:
        before, after = file.readings
        shadowed = (after.defined - before.defined) & (before.bound | after.bound)
        if is_test_file(file.path) and file.old and shadowed:
            yield GuardFinding(
                RULE, file.path, f"replaces what is tested by its own ({', '.join(sorted(shadowed))[:80]})"
            )
