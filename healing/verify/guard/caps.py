"""Rule: a fix is small. A larger one is a rewrite, which nobody can review in a suggestion.

A file that a formatter only laid out again holds the same words as before, and doesn't count.
"""

import re
from collections import Counter
from collections.abc import Iterator

from healing.policy.fixes import Caps
from healing.verify.guard.patch import File, GuardFinding, WholeChange

RULE = "caps"
WORD = re.compile(rb"\w+")
MAX_BYTES = 2_000_000  # of one file; a longer one is not judged by other rules


DEFAULT = Caps()


def is_too_long(file: File) -> bool:
    """Whether a file is so long that the other rules would take too much time on it."""
    return max(len(file.old or b""), len(file.new or b"")) > MAX_BYTES


def findings(patch: WholeChange, most: Caps = DEFAULT) -> Iterator[GuardFinding]:
    """A finding if the change touches too many files or lines, and one for each file that is too long; lines that only
    move don't count."""
    counted = [file for file in patch.files if not (patch.by_tool and _same_words(file))]
    if len(counted) > most.files:
        yield GuardFinding(RULE, "", f"it changes {len(counted)} files; at most {most.files} are allowed")
    yield from (
        GuardFinding(RULE, file.path, f"is longer than {MAX_BYTES} bytes; nobody can review it")
        for file in patch.files
        if is_too_long(file)
    )
    before, after = Counter[bytes](), Counter[bytes]()
    for file in counted:
        before.update((file.old or b"").splitlines())
        after.update((file.new or b"").splitlines())
    lines = max((before - after).total(), (after - before).total())
    if lines > most.lines:
        yield GuardFinding(RULE, "", f"it changes about {lines} lines; at most {most.lines} are allowed")


def _same_words(file: File) -> bool:
    """Whether the file holds the same words as before, in any order: imports may have been sorted, and formatters
    change the case of letters in numbers."""
    if file.old is None or file.new is None or is_too_long(file):
        return False
    return _words(file.old) == _words(file.new)


def _words(data: bytes) -> Counter[bytes]:
    return Counter(word.lower() if word[:1].isdigit() else word for word in WORD.findall(data))
