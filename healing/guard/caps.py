"""Rule: a fix is small. More than that is a rewrite, which nobody can review in a suggestion."""

from collections import Counter
from collections.abc import Iterator

from healing.guard.patch import File, Finding, Patch

RULE = "caps"
MOST_FILES = 25
MOST_LINES = 800
MOST_BYTES = 2_000_000  # of one file; a longer one is not even judged


def is_too_long(file: File) -> bool:
    """Whether a file is so long that the other rules would take their time over it."""
    return max(len(file.old or b""), len(file.new or b"")) > MOST_BYTES


def findings(patch: Patch) -> Iterator[Finding]:
    """One finding where the change touches too many files or lines; a line that only moves counts for nothing."""
    if len(patch.files) > MOST_FILES:
        yield Finding(RULE, "", f"it changes {len(patch.files)} files; at most {MOST_FILES} are allowed")
    yield from (
        Finding(RULE, file.path, f"is longer than {MOST_BYTES} bytes; nobody can review it")
        for file in patch.files
        if is_too_long(file)
    )
    before, after = Counter[bytes](), Counter[bytes]()
    for file in patch.files:
        before.update((file.old or b"").splitlines())
        after.update((file.new or b"").splitlines())
    lines = max((before - after).total(), (after - before).total())
    if lines > MOST_LINES:
        yield Finding(RULE, "", f"it changes about {lines} lines; at most {MOST_LINES} are allowed")
