"""A stand-in error for a red check whose output contains none that can be read.

A check may fail without any message. One error then stands for it, so that it can be shown, fixed and recognised on
another tree. Where the command reveals more than its output, as with a formatter whose list of files is captured by the
shell, the error is that tool's.
"""

import re

from healing.checks.check import Check, CheckResult
from healing.model import Category, CIError, error_id

UNREAD = "unread"  # the tool of an error that stands for output in which none was recognised
KEPT_OUTPUT = 2000
VAGUE = ("log", "make")  # tools of errors that are only lines which sound like some
DIFFERS = re.compile(r"^diff --git a/((?!/|\S*\.\.)\S{1,300}) b/\1$", re.M)  # only paths inside of the repository
MAX_FILES = 50
# A formatter whose list of files the shell takes as a word, so that it is never printed: `test -z "$(gofmt -l .)"`.
LISTED = re.compile(
    r"(?:\$\(|`)\s*(?:\S{0,200}/)?(?P<tool>gofmt|goimports|rustfmt|prettier)\s[^)`]{0,400}?"
    r"(?<=\s)--?l(?:ist-different)?\b(?!-)"
)


def with_an_error(check: Check, result: CheckResult) -> CheckResult:
    """The result with at least one error: a red check gets a stand-in where nothing in its output could be read. Where
    it ends with git's diff of what it wrote, the files in it are the errors, and not what else sounds like some."""
    if result.green or any(error.tool not in (UNREAD, *VAGUE) for error in result.errors):
        return result
    if differing := tuple(dict.fromkeys(DIFFERS.findall(result.output)))[:MAX_FILES]:
        return result.model_copy(update={"errors": tuple(map(_outdated, differing))})
    if result.errors:
        return result
    formatter = LISTED.search(check.step.run)
    tool, category = (formatter["tool"], Category.FORMAT) if formatter else (UNREAD, Category.CONFIG)
    why = f"{tool} lists files that it would format" if formatter else "nothing in its output could be read as an error"
    message = f"`{check.step.name}` exits {result.exit_code}; {why}"
    identifier = error_id(tool=tool, message=message)
    error = CIError(id=identifier, tool=tool, category=category, message=message, excerpt=result.output[-KEPT_OUTPUT:])
    return result.model_copy(update={"errors": (error,)})


def _outdated(file: str) -> CIError:
    message = "differs from what is committed once the command has run"
    identifier = error_id(tool="git", file=file, message=message)
    return CIError(id=identifier, tool="git", category=Category.FORMAT, file=file, message=message)
