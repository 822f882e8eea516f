"""The errors that a red check told, in its output and in the report files that it wrote."""

from collections.abc import Sequence
from contextlib import suppress

from healing.checks.check import Check
from healing.checks.reports import written
from healing.gitio import GitError
from healing.logs.blame import blamed
from healing.logs.matchers import ProblemMatcher
from healing.logs.matching import Matching
from healing.logs.reading import LogContext, read_log
from healing.logs.twins import Twins
from healing.model import CIError
from healing.view import TreeView
from healing.worktrees import Worktree


def errors_of(
    check: Check,
    worktree: Worktree,
    view: TreeView,
    matchers: tuple[ProblemMatcher, ...],
    output: bytes,
    prefixes: tuple[str, ...],
) -> tuple[CIError, ...]:
    """What a check printed about `view`, its tree, read with the repository's matchers too; `prefixes` are the places
    where the worktree lay."""
    matching = Matching(matchers, view.read, tuple(script.run for script in check.setup))
    context = LogContext(frozenset(view.paths()), prefixes, command=check.step.run, formats=(matching.format(),))
    errors = read_log(output, context).errors
    return blamed((*errors, *_only_reported(check, worktree, view, context, errors)))


def _only_reported(
    check: Check, worktree: Worktree, view: TreeView, context: LogContext, printed: Sequence[CIError]
) -> tuple[CIError, ...]:
    """What the step's report files tell and its output doesn't: tests, and where it reported nothing all else too."""
    errors: list[CIError] = []
    with suppress(GitError, OSError):  # too long, or something else than a file stands there: there is no report
        for _, data in written(check.step, worktree.read, view.read):
            errors += blamed(read_log(data, context).errors)
    known = Twins(printed)
    new = (e for e in errors if not known.of(e) and (e.test or not printed))
    return tuple(e.model_copy(update={"source": "report"}) for e in new)
