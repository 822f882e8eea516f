"""The error of a red check in whose output nothing can be read as one.

A check may fail without a word. Then one error stands for it, so that it can be shown, fixed, and seen again on another
tree. Where the command itself says more than its output, as a formatter's captured list of files does, the error is
that tool's.
"""

import re

from healing.checks.check import Check, CheckResult
from healing.model import Category, CIError, error_id

KEPT_OUTPUT = 2000
# A formatter whose list of files the shell takes as a word, so that it is never printed: `test -z "$(gofmt -l .)"`.
LISTED = re.compile(
    r"(?:\$\(|`)\s*(?:\S{0,200}/)?(?P<tool>gofmt|goimports|rustfmt|prettier)\s[^)`]{0,400}?"
    r"(?<=\s)--?l(?:ist-different)?\b(?!-)"
)


def with_an_error(check: Check, result: CheckResult) -> CheckResult:
    """A red check always shows at least one error, even where nothing in its output could be read."""
    if result.errors or result.green:
        return result
    formatter = LISTED.search(check.step.run)
    tool, category = (formatter["tool"], Category.FORMAT) if formatter else ("unread", Category.CONFIG)
    why = f"{tool} lists files that it would format" if formatter else "nothing in its output could be read as an error"
    message = f"`{check.step.name}` exits {result.exit_code}; {why}"
    ident = error_id(tool=tool, message=message)
    error = CIError(id=ident, tool=tool, category=category, message=message, excerpt=result.output[-KEPT_OUTPUT:])
    return result.model_copy(update={"errors": (error,)})
