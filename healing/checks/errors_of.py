"""The errors of a red check, read from its output and from the report files that it wrote."""

import posixpath
import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise

from healing.checks.check import WORKSPACE, Check, Script
from healing.git import GitError
from healing.logs.blame import without_incidental
from healing.logs.matchers import ProblemMatcher
from healing.logs.matching import Matching
from healing.logs.reading import LogContext, read_log
from healing.logs.twins import CounterpartIndex
from healing.model import CIError
from healing.view import TreeView
from healing.worktrees import Worktree

# Options by which a command names a report file, which the tool writes in place of printing.
OPTIONS = (
    *("--junitxml", "--junit-xml", "--output-file", "--outputFile", "--json-report-file", "--junit-output", "--xunit"),
    *("--out", "--output", "--report-file", "--sarif-file", "--log-junit", "--junitfile", "--jsonfile", "-o"),
)
REPORT = re.compile(r"[\w./+-]{1,300}\.(?:xml|json|jsonl|sarif)\Z")
REDIRECT = re.compile(r"(?<![\d&>])1?>{1,2}[ \t]{0,4}([\w./+-]{1,300})")
MAX_FILES = 5
MAX_BYTES = 16 << 20
MAX_CHARACTERS = 20_000  # of a command that are read

Read = Callable[[str], bytes | None]


def report_paths(step: Script) -> tuple[str, ...]:
    """The repo-relative paths of the report files that a step's command names, at most MAX_FILES."""
    text = step.run.replace("\\\n", " ")[:MAX_CHARACTERS]
    from_options = [path for line in text.splitlines() for path in _options(line)]
    paths = (_inside(step.cwd, path) for path in (*from_options, *REDIRECT.findall(text)) if REPORT.match(path))
    return tuple(dict.fromkeys(path for path in paths if path))[:MAX_FILES]


def _options(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    pairs = (word.partition("=") for word in words)
    spelled = [value for name, equals, value in pairs if equals and name in OPTIONS]
    return spelled + [after for word, after in pairwise(words) if word in OPTIONS]


def _inside(cwd: str, path: str) -> str:
    folder = cwd.removeprefix(WORKSPACE).lstrip("/")
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "" if joined.startswith(("/", "..")) else joined


def reports_written(step: Script, now: Read, before: Read) -> tuple[tuple[str, bytes], ...]:
    """(path, bytes) of the reports that a step wrote, as read by `now`. A file whose content equals `before` was not
    written by it."""
    reports = ((path, now(path)) for path in report_paths(step))
    return tuple((path, data) for path, data in reports if data and len(data) <= MAX_BYTES and data != before(path))


def errors_of(
    check: Check,
    worktree: Worktree,
    view: TreeView,
    matchers: tuple[ProblemMatcher, ...],
    output: bytes,
    prefixes: tuple[str, ...],
) -> tuple[CIError, ...]:
    """The errors that a check printed about `view`, its tree, read with the repository's own matchers too. `prefixes`
    are the paths under which the worktree appeared."""
    matching = Matching(matchers, view.read, tuple(script.run for script in check.setup))
    context = LogContext(frozenset(view.paths()), prefixes, command=check.step.run, formats=(matching.format(),))
    errors = read_log(output, context).errors
    return without_incidental((*errors, *_only_reported(check, worktree, view, context, errors)))


def _only_reported(
    check: Check, worktree: Worktree, view: TreeView, context: LogContext, printed: Sequence[CIError]
) -> tuple[CIError, ...]:
    """The errors in the step's report files that its output doesn't have: failed tests, and any other error where
    nothing was printed."""
    errors: list[CIError] = []
    with suppress(GitError, OSError):  # too long, or not a file: there is no report
        for _, data in reports_written(check.step, worktree.read, view.read):
            errors += without_incidental(read_log(data, context).errors)
    known = CounterpartIndex(printed)
    new = (e for e in errors if not known.of(e) and (e.test or not printed))
    return tuple(e.model_copy(update={"source": "report"}) for e in new)
