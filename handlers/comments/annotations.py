"""The check run's annotations: each error at its line of the head, with its result. Errors whose fix is a suggested
change have none, because the suggestion in the same diff names the error.

GitHub can't change or delete an annotation. So its text depends only on what was found, not on what people decide
later: the same text is posted once, and a new result adds an annotation.
"""

from collections.abc import Collection

from handlers.comments.clean import plain, plain_block
from handlers.comments.parts import plural, short
from handlers.comments.reports import why_not_plainly
from healing.failed_jobs import Annotation
from healing.model import CIError, Outcome, Severity, Unfixable

LIMIT = 200  # per attempt; the summary has them all
MAX_TITLE = 200  # GitHub takes 255 characters
_LEVELS = {Severity.ERROR: "failure", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_NOT_HERE = {
    "flaky": "Flaky: it did not recur when the same code was run again.",
    "preexisting": "The base branch has this error too. Fix it there.",
    "superseded": "This code is gone.",
}


def annotations(outcome: Outcome, suggested: Collection[str] = ()) -> tuple[Annotation, ...]:
    """The annotations of errors that have lines on the head, at most `LIMIT`. `suggested`: the ids of all fixes that
    were ever posted as suggested changes, so that no annotation appears after one was applied or rejected."""
    endings = _endings(outcome)
    placed = _placed(outcome, suggested)
    return tuple(_annotation(error, outcome.head_lines[error.id], *endings[error.id]) for error in placed[:LIMIT])


def left_out(outcome: Outcome, suggested: Collection[str] = ()) -> tuple[str, ...]:
    """A note if not every error could be annotated."""
    count = len(_placed(outcome, suggested)) - LIMIT
    have = "has" if count == 1 else "have"
    left = f"{plural(count, 'more error')} {have} no annotation; Heal adds at most {LIMIT}."
    return (left,) if count > 0 else ()


def _placed(outcome: Outcome, suggested: Collection[str]) -> list[CIError]:
    shown = {id_ for fix in outcome.proposals if fix.id in suggested for id_ in fix.error_ids}
    return [error for error in outcome.errors if error.file and error.id in outcome.head_lines.keys() - shown]


def _annotation(error: CIError, lines: tuple[int, int], how: str, ending: str) -> Annotation:
    level = "notice" if how in _NOT_HERE else _LEVELS[error.severity]
    name = " ".join(part for part in (error.tool, error.code) if part)
    return Annotation(
        path=error.file or "",
        start_line=lines[0],
        end_line=lines[1],
        level=level,
        title=plain(name, MAX_TITLE),
        message=f"{plain(error.message, 1000) or 'It failed.'}\n{ending}",
        details=plain_block(error.excerpt) or None,
    )


def _endings(outcome: Outcome) -> dict[str, tuple[str, str]]:
    """The resolution of each error by its id, and the same as a sentence."""
    reports = {report.id: report for report in outcome.unfixables}
    fixes = {id_: proposal.id for proposal in outcome.proposals for id_ in proposal.error_ids}
    how = {resolution.error_id: resolution for resolution in outcome.resolutions}
    endings = {}
    for error in outcome.errors:
        known = how.get(error.id)
        fix = (known.proposal_id if known else None) or fixes.get(error.id)
        endings[error.id] = (known.how if known else "", _ending(known.how if known else "", fix, reports))
    return endings


def _ending(how: str, fix: str | None, reports: dict[str, Unfixable]) -> str:
    kind, _, name = how.partition(":")
    if how in _NOT_HERE:
        return _NOT_HERE[how]
    if kind == "unfixable":
        report = reports.get(name)
        why = f": {why_not_plainly(report)}" if report else ""
        return f"No tested fix{why}"
    if kind == "cascade":
        return "Fixed by the fixes for other errors."
    if fix is not None:
        return f"Heal has a tested fix: `/heal show {short(fix)}`."
    return "No fix found. See the summary of this check."
