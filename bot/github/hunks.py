"""Which lines of a changed file a review comment may sit on: the right side inside one hunk (GitHub's rule)."""

import re

from handlers.delivery.plans import SuggestionPlan
from handlers.ports import ChangedFile

_HEADER = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")


def right_ranges(patch: str) -> tuple[range, ...]:
    """The lines of the new file that each hunk shows."""
    found = (_HEADER.match(line) for line in patch.splitlines())
    return tuple(range(int(m[1]), int(m[1]) + int(m[2] or 1)) for m in found if m)


def carries(files: dict[str, ChangedFile], plan: SuggestionPlan) -> bool:
    """Whether the pull request's diff can hold this comment now."""
    file = files.get(plan.path)
    if file is None or file.patch is None or plan.start_line > plan.end_line:
        return False
    return any(plan.start_line in lines and plan.end_line in lines for lines in right_ranges(file.patch))
