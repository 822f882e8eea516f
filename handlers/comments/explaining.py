"""The answer to `/heal explain`: how an error, a fix, a report or a cluster came about, from stored data."""

from handlers.comments.clean import block, code, fold, joined, prose, sentence
from handlers.comments.endings import ended
from handlers.comments.makers import made_by
from handlers.comments.parts import (
    closer_look,
    error_line,
    evidence,
    how_to,
    place,
    plural,
    short,
    standing,
    title,
    without_change,
)
from handlers.comments.reports import why_not
from handlers.comments.sticky import reason, status_word, where
from handlers.model import StoredProposal
from healing.model import CIError, Cluster, Outcome, Proposal, Unfixable

WHERE = {"log": "in its log", "annotation": "in an annotation", "report": "in a report that it stored"}
WHERE_EACH = {"log": "in their logs", "annotation": "in annotations", "report": "in reports that they stored"}
LIMIT = 10


def which(word: str) -> str:
    """For a missing or unknown id."""
    what = f"No fix or error has the id {code(word, 60)}." if word else "Explain what? Use `/heal explain <id>`."
    return f"{what} `/heal list`, `/heal unfixable` and the check run “Heal” show the ids."


def explained(id_: str, outcome: Outcome, item: StoredProposal | None) -> str:
    """The explanation of an error, a fix, a report or a cluster of a run; empty if the run has no such id."""
    for error in outcome.errors:
        if error.id == id_:
            return _error(error, outcome)
    for proposal in outcome.proposals:
        if proposal.id == id_:
            return _fix(item.proposal if item else proposal, item, outcome)
    for report in outcome.unfixables:
        if report.id == id_:
            return _report(report, outcome)
    for cluster in outcome.clusters:
        if cluster.id == id_:
            return _cluster(cluster, outcome)
    return ""


def _error(error: CIError, outcome: Outcome) -> str:
    line = f" (line {error.log_line})" if error.log_line else ""
    names = outcome.reporting_jobs.get(error.id, ())
    count = len(names) or outcome.sightings.get(error.id, 1)
    where = WHERE if count == 1 else WHERE_EACH
    seen = f"Reported by {_jobs(names, count)} {where.get(error.source, error.source)}{line}."
    wanted = f"Expected {code(error.expected)}, got {code(error.actual or '')}." if error.expected else ""
    cause = next((c for c in outcome.causes if error.id in c.error_ids), None)
    more = len(cause.error_ids) - 1 if cause else 0
    shared = f"It has the same root cause as {plural(more, 'other error')}." if more else ""
    cluster = next((c for c in outcome.clusters if error.id in c.error_ids), None)
    grouped = f"It is in group `{short(cluster.id)}`." if cluster and len(cluster.error_ids) > 1 else ""
    culprit = next((one for one in outcome.culprits if error.id in one.error_ids), None)
    undone = f"It goes away {without_change(culprit)}." if culprit else ""
    frames = [f"- {code(f'{r.file}:{r.line}', 200)} {prose(r.message, 200)}" for r in error.related[:LIMIT] if r.file]
    return joined(
        [
            f"{error_line(error)} at {place(error)}",
            " ".join(part for part in (seen, wanted, undone, shared, grouped, _result(error, outcome)) if part),
            "Called through:\n" + "\n".join(frames) if frames else "",
            fold("From the log", block(error.excerpt)) if error.excerpt else "",
        ]
    )


def _jobs(names: tuple[str, ...], count: int) -> str:
    """The names of jobs. Old runs were stored without names; for them it is their `count`."""
    if not names:
        return plural(count, "job")
    more = [plural(len(names) - LIMIT, "more job")] if len(names) > LIMIT else []
    *others, last = [*(code(name, 100) for name in names[:LIMIT]), *more]
    return f"{'jobs' if others else 'job'} {' and '.join(filter(None, [', '.join(others), last]))}"


def _result(error: CIError, outcome: Outcome) -> str:
    how = next((r.how for r in outcome.resolutions if r.error_id == error.id), None)
    if how is None:
        return "No result yet."
    kind, _, name = how.partition(":")
    return f"{code(short(name))} fixes it." if kind == "fix" else f"Result: {ended(how)}."


def _fix(proposal: Proposal, item: StoredProposal | None, outcome: Outcome) -> str:
    by_id = {error.id: error for error in outcome.errors}
    fixed = [f"- {error_line(by_id[i])} at {place(by_id[i])}" for i in proposal.error_ids[:LIMIT] if i in by_id]
    needs = f"Needs {', '.join(f'`{short(i)}`' for i in proposal.needs)}." if proposal.needs else ""
    life = f"{status_word(item)}{where(item)}. " if item else ""
    why = f"Reason: {sentence(reason(item), 300)}" if item and reason(item) else ""
    return joined(
        [
            f"`{short(proposal.id)}` **{title(proposal)}**: {life}{why}".strip(),
            f"Made by {made_by(proposal.source)}: {standing(proposal)}. {needs}".strip(),
            closer_look(proposal),
            "Fixes:\n" + "\n".join(fixed) if fixed else "",
            prose(proposal.explanation),
            evidence(proposal, by_id),
            how_to(proposal, item.status) if item else "",
        ]
    )


def _report(report: Unfixable, outcome: Outcome) -> str:
    by_id = {error.id: error for error in outcome.errors}
    errors = [f"{error_line(by_id[i])} at {place(by_id[i])}" for i in report.error_ids[:LIMIT] if i in by_id]
    about = f" {errors[0]}" if len(errors) == 1 else "".join(f"\n- {one}" for one in errors)
    words = why_not(report)
    return joined(
        [
            f"`{short(report.id)}`{about}",
            f"No fix: {words.why}",
            f"*Tried:* {sentence(report.tried, 600)}" if report.tried else "",
            f"*What you can do:* {words.advice}" if words.advice else "",
        ]
    )


def _cluster(cluster: Cluster, outcome: Outcome) -> str:
    fixes = [p for p in outcome.proposals if set(p.error_ids) & set(cluster.error_ids)]
    made = ", ".join(f"`{short(p.id)}`" for p in fixes)
    zone = ", ".join(code(path, 120) for path in cluster.zone[:LIMIT])
    return joined(
        [
            f"Group `{short(cluster.id)}`: {plural(len(cluster.error_ids), 'error')} {_in_common(cluster)}",
            f"Files that may need a change: {zone}" if zone else "",
            f"Tested fixes: {made}." if made else "No tested fix.",
        ]
    )


def _in_common(cluster: Cluster) -> str:
    """The root causes that make these errors one group."""
    if len(cluster.causes) == 1:
        return f"with one root cause: {sentence(cluster.causes[0].message, 200)}"
    causes = [f"- {prose(c.message, 200)} ({plural(len(c.error_ids), 'error')})" for c in cluster.causes[:LIMIT]]
    return "that Heal handles together. Their root causes:\n" + "\n".join(causes)
