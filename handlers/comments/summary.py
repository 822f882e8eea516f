"""The check run's texts: progress, the summary, and why Heal did nothing."""

from handlers.comments.clean import block, cell, code, fold, joined, label, prose, sentence
from handlers.comments.endings import ended, verdict_words
from handlers.comments.makers import made_by
from handlers.comments.parts import (
    Errors,
    by_id,
    cost,
    duration,
    error_line,
    place,
    plural,
    price,
    short,
    title,
    without_change,
)
from handlers.comments.reasons import REVERTED_IN
from handlers.comments.reports import why_not
from handlers.comments.sticky import WORDS
from handlers.model import STANDING, StoredProposal
from healing.model import CIError, NotChecked, Outcome, Proposal, Unfixable
from healing.pipeline.endings import fixed_ids

Offers = dict[str, str]  # proposal id → how it was offered: `suggestion`, `fixup`, `patch`, or why it was not
MAX_ROWS = 40
MAX_CULPRITS = 10

FLAKY_TO_DO = "Re-run the failed job. If it fails often, fix the test."
DRY = (
    "**Dry run:** nothing was posted. `/heal apply <id>` commits a fix below. `/heal retry` runs again and offers "
    "its fixes.",
)
# Titles of a check run, and what it says of a run that has just begun.
NOTHING_DONE = "Nothing done"
NOTHING_FAILED = "No check has failed"
NOTHING_LEFT = "All checks pass"
QUEUED = "Queued"
STOPPED = "Stopped"
WORKING = "Looking for fixes"
BEGUN = "reading the logs of the failed checks"
HOW_OFFERED = {
    "suggestion": "suggested change",
    "fixup": "fixup pull request",
    "patch": "patch in the summary comment",
    "none": "not offered",
}


def stands(item: StoredProposal) -> str:
    """How a fix is offered, and why not as a suggested change; or what became of it."""
    how = HOW_OFFERED[item.delivery] if item.status in STANDING else WORDS[item.status]
    if item.status == "rolled-back" and item.reason.startswith(REVERTED_IN):
        return f"{how} {item.reason}"
    return f"{how}: {item.reason}" if item.reason else how


def summary_title(outcome: Outcome, offered: int) -> str:
    """The check run's title."""
    if outcome.verdict == "could-not-look":
        return "Couldn't check this failure"
    if not outcome.errors:
        return "No error found in the failed checks"
    errors = plural(len(outcome.errors), "error")
    endings = {resolution.how for resolution in outcome.resolutions}
    if endings == {"flaky"}:
        return f"Flaky: {errors} did not recur"
    if endings == {"preexisting"}:
        return f"The base branch has {_the_same(len(outcome.errors))} too"
    if offered:
        return tested_fixes(outcome)
    return f"No fix {'offered' if outcome.proposals else 'found'} for {errors}"


def tested_fixes(outcome: Outcome) -> str:
    """`10 of 11 errors have a tested fix; 1 needs you`. Flaky errors and those of the base branch need nobody here."""
    how = {resolution.error_id: resolution.how for resolution in outcome.resolutions}
    ids = {error.id for error in outcome.errors}
    fixed = ids & fixed_ids(outcome)
    left = [id_ for id_ in ids - fixed if how.get(id_) not in ("flaky", "preexisting", "superseded")]
    count, total = len(fixed), len(ids)
    have = "has a tested fix" if 1 in (count, total) else "have a tested fix"
    first = f"All {total} errors" if count == total > 1 else plural(total, "error") if count == total else ""
    first = first or f"{count} of {plural(total, 'error')}"
    rest = f"; {len(left)} need{'s' if len(left) == 1 else ''} you" if left else ""
    return f"{first} {have}{rest}"


def _prevented(outcome: Outcome) -> str:
    """How many regressions were prevented."""
    count = outcome.regressions_prevented
    if not count:
        return ""
    return f"Heal discarded {plural(count, 'more fix')}, because {_it_or_each(count)} would have broken something else."


def _it_or_each(count: int) -> str:
    return "it" if count == 1 else "each"


def summary(outcome: Outcome, offers: Offers, notes: tuple[str, ...] = (), opening: str = "", take: str = "") -> str:
    """The check run's summary: what ended how, what is offered, what is not and why, cost and time. `opening` takes the
    place of the result in one line; `take` says how a person takes the fixes."""
    took = f" Took {duration(outcome.seconds)}." if outcome.seconds else ""
    return joined(
        [
            opening or verdict(outcome, take),
            _drifted(outcome),
            *notes,
            _offered(outcome.proposals, offers),
            _errors(outcome),
            _culprits(outcome),
            unfixable_list(outcome.unfixables, by_id(outcome.errors), frozenset(outcome.drifted)),
            not_checked_list(outcome.not_looked),
            _flaky(outcome),
            _preexisting(outcome),
            _picture(outcome),
            _prevented(outcome),
            f"**Cost:** {cost(outcome.spending)}{took}",
            f"<sub>Run {code(outcome.run_id)} · `/heal help` lists the commands</sub>",
        ]
    )


def looks(outcomes: tuple[Outcome, ...]) -> tuple[str, ...]:
    """A note that a commit was checked more than once, and what each attempt found."""
    if len(outcomes) < 2:
        return ()
    rows = [
        f"{number}. {plural(len(one.errors), 'error')}, {plural(len(one.proposals), 'fix')}; "
        f"{verdict_words(one.verdict)}"
        for number, one in enumerate(outcomes, 1)
    ]
    times = "twice" if len(outcomes) == 2 else f"{len(outcomes)} times"
    head = f"Heal ran {times} on this commit. Each error below is shown with its latest result."
    return ("\n".join([head, "", *rows[-20:]]),)


def earlier(text: str) -> str:
    """The results of earlier attempts, which follow the current text."""
    return f"\n\n---\n\n**Earlier results for this commit:**\n\n{text}"


def older(count: int) -> tuple[str, ...]:
    """A note about fixes of earlier attempts that are not part of this one."""
    if not count:
        return ()
    them = "it" if count == 1 else "them"
    return (f"{plural(count, 'earlier fix')} {_are(count)} still open: `/heal list` shows {them}.",)


def _the_same(count: int) -> str:
    return "this error" if count == 1 else f"these {count} errors"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def verdict(outcome: Outcome, take: str) -> str:
    """What to do next, after what the check run's title does not say yet; `take`: with the fixes."""
    if outcome.verdict == "healed":
        fixes = "fix" if len(outcome.proposals) == 1 else "fixes"
        return f"**With the {fixes} below, every check that failed passes.** {take}".rstrip()
    if outcome.verdict == "partly":
        return take
    endings = {resolution.how for resolution in outcome.resolutions}
    if endings == {"flaky"}:
        return f"When Heal ran the same code again, it passed. {FLAKY_TO_DO}"
    if endings == {"preexisting"}:
        return f"**{_fixed_there(len(outcome.errors))}**"
    if outcome.verdict == "not-healed":
        return f"See below for {_reasons(len(outcome.unfixables) + len(outcome.not_looked))} and what you can do."
    return f"Heal didn't look for a fix. See below for {_reasons(len(outcome.not_looked))} and what you can do."


def _reasons(count: int) -> str:
    return "the reason" if count == 1 else "the reasons"


def _offered(proposals: tuple[Proposal, ...], offers: Offers) -> str:
    if not proposals:
        return ""
    rows = ["| Fix | Change | Confidence | Cost | Offered as |", "|---|---|---|---|---|"]
    for proposal in proposals[:MAX_ROWS]:
        how = offers.get(proposal.id, "none")
        words = HOW_OFFERED.get(how) or prose(how, 200)
        sure = f"{proposal.confidence} of 100 | {price(proposal)}"
        rows.append(f"| `{short(proposal.id)}` | {cell(title(proposal))} | {sure} | {cell(words)} |")
    return "\n".join([*rows, *_more(len(proposals))])


def _culprits(outcome: Outcome) -> str:
    """The change's own lines without which an error is gone: an explanation, never a fix."""
    errors = {error.id: error for error in outcome.errors}
    rows = []
    for culprit in outcome.culprits[:MAX_CULPRITS]:
        what = next((error_line(errors[i], 120) for i in culprit.error_ids if i in errors), "an error")
        gone = "the error goes" if len(culprit.error_ids) == 1 else f"these {len(culprit.error_ids)} errors go"
        rows.append(f"- {what}: {gone} away {without_change(culprit)}")
    return "\n".join(["**Likely cause:**", "", *rows]) if rows else ""


def _errors(outcome: Outcome) -> str:
    if not outcome.errors:
        return ""
    how = {resolution.error_id: resolution.how for resolution in outcome.resolutions}
    rows = ["| Error | Where | Result |", "|---|---|---|"]
    for error in outcome.errors[:MAX_ROWS]:
        ending = ended(how.get(error.id))
        seen = outcome.sightings.get(error.id, 1)
        where = f"{place(error)} (in {seen} jobs)" if seen > 1 else place(error)
        rows.append(f"| {cell(error_line(error, 120))} | {cell(where)} | {cell(ending)} |")
    table = "\n".join([*rows, *_more(len(outcome.errors))])
    return table if len(outcome.errors) <= 10 else fold(f"All {len(outcome.errors)} errors", table)


def _more(count: int) -> list[str]:
    return [f"\n… and {count - MAX_ROWS} more."] if count > MAX_ROWS else []


def unfixable_list(reports: tuple[Unfixable, ...], errors: Errors, drifted: frozenset[str] = frozenset()) -> str:
    """What has no fix: which error, why, and what a person could do; for errors that came with the base branch
    (`drifted`) the first line has it."""
    if not reports:
        return ""
    lines = ["**Needs you:**", ""]
    for report in reports[:MAX_ROWS]:
        words = why_not(report)
        elsewhere = drifted.issuperset(report.error_ids)
        advice = f" *What you can do:* {words.advice}" if words.advice and not elsewhere else ""
        tried = f" *Tried:* {sentence(report.tried, 300)}" if report.tried else ""
        lines.append(f"- `{short(report.id)}` {_named(report, errors)}: {words.why}{tried}{advice}")
    return "\n".join([*lines, *_more(len(reports))])


def _named(report: Unfixable, errors: Errors) -> str:
    """The first of a report's errors with its place, and how many more there are."""
    first = next((errors[id_] for id_ in report.error_ids if id_ in errors), None)
    if first is None:
        return f"({plural(len(report.error_ids), 'error')})"
    more = f" (and {plural(len(report.error_ids) - 1, 'more error')})" if len(report.error_ids) > 1 else ""
    return f"{error_line(first, 120)} at {place(first)}{more}"


def not_checked_list(items: tuple[NotChecked, ...]) -> str:
    """What could not be checked, with why and what would help."""
    if not items:
        return ""
    lines = ["**Couldn't check:**", ""]
    for item in items[:MAX_ROWS]:
        advice = f" *What you can do:* {sentence(item.advice, 300)}" if item.advice else ""
        lines.append(f"- {prose(item.what, 200)}: {sentence(item.why, 400)}{advice}")
    return "\n".join([*lines, *_more(len(items))])


def _flaky(outcome: Outcome) -> str:
    """The section about errors that CI reported and that did not recur on the same tree."""
    count = sum(resolution.how == "flaky" for resolution in outcome.resolutions)
    if count in (0, len(outcome.errors)):  # if all are, the title says so
        return ""
    return f"**Flaky:** {plural(count, 'error')} did not recur on the same code. {FLAKY_TO_DO}"


def _preexisting(outcome: Outcome) -> str:
    """The section about errors that the base branch has too, which have to be fixed there."""
    count = sum(resolution.how == "preexisting" for resolution in outcome.resolutions)
    if count in (0, len(outcome.errors)):  # if all are, the title says so
        return ""
    return f"**On the base branch:** {count} of these errors {_are(count)} there too. {_fixed_there(count)}"


def handed_on(branch: str) -> str:
    """The base branch is the default branch, where Heal works on the error by itself: a note."""
    return f"Heal is also looking for a fix on {code(branch, 100)}, and will open a pull request there if it finds one."


def _fixed_there(count: int) -> str:
    return f"Fix {'it' if count == 1 else 'them'} on the base branch, then update this one."


def _drifted(outcome: Outcome) -> str:
    """The section about errors that come from the base branch and not from this change."""
    ends = {resolution.error_id: resolution.how for resolution in outcome.resolutions}
    left = [id_ for id_ in outcome.drifted if ends.get(id_, "").startswith("unfixable:")]
    if not left:
        return ""
    it = "it" if len(left) == 1 else "them"
    return (
        "**Appears only when merged:** CI tests this branch merged with the base branch, and "
        f"{_which(len(left), len(outcome.errors))} on this branch alone. *What you can do:* Update this branch (merge "
        f"or rebase), then fix {it} here."
    )


def _which(count: int, every: int) -> str:
    """The subject of a sentence about some of the errors, with its verb."""
    if count == every:
        return "this error doesn't appear" if count == 1 else "these errors don't appear"
    return f"{count} of these errors {'does' if count == 1 else 'do'}n't appear"


def _picture(outcome: Outcome) -> str:
    """Root causes → groups that are fixed together → fixes, as a Mermaid diagram; nothing where no error has
    to do with another."""
    if all(len(cluster.error_ids) == 1 for cluster in outcome.clusters):
        return ""
    lines = ["flowchart LR"]
    for number, cluster in enumerate(outcome.clusters[:10], 1):
        lines.append(f'  C{number}["group {label(short(cluster.id))}: {plural(len(cluster.error_ids), "error")}"]')
        for index, cause in enumerate((one for one in cluster.causes[:5] if not one.explained_by), 1):
            lines.append(f'  R{number}x{index}("{label(cause.message)}") --> C{number}')
        for fix, proposal in enumerate(outcome.proposals, 1):
            if set(proposal.error_ids) & set(cluster.error_ids):
                lines.append(f'  C{number} --> F{fix}["fix {label(short(proposal.id))}"]')
    return fold("How the errors are related", f"{_counts(outcome)}\n\n{block(chr(10).join(lines), 'mermaid')}")


def _counts(outcome: Outcome) -> str:
    """How many root causes and groups the errors have."""
    behind = sum(bool(cause.explained_by) for cause in outcome.causes)
    errors = plural(sum(len(cause.error_ids) for cause in outcome.causes), "error")
    causes = plural(len(outcome.causes) - behind, "root cause")
    more = f" ({behind} more explained by them)" if behind else ""
    groups = plural(len(outcome.clusters), "group")
    return f"{errors} → {causes}{more} → {groups}. Errors in one group are fixed together."


def nothing_left(stored: tuple[StoredProposal, ...]) -> str:
    """A head on which CI is green, after Heal had looked at earlier ones: what was applied, by which fixes."""
    applied = [item for item in stored if item.status == "applied"]
    if not applied:
        return "All checks pass. None of Heal's fixes is on this branch."
    rows = ["| Fix | Change | Made by | Commit |", "|---|---|---|---|"]
    rows += [
        f"| `{short(i.proposal.id)}` | {cell(title(i.proposal))} | {cell(made_by(i.proposal.source))} | "
        f"{code((i.applied_sha or '')[:12])} |"
        for i in applied[:MAX_ROWS]
    ]
    return joined(
        [
            "All checks pass. These fixes from Heal are on the branch:",
            "\n".join([*rows, *_more(len(applied))]),
            "`/heal rollback <id>` reverts one.",
        ]
    )


def regressions(proposal: Proposal, sha: str, errors: tuple[CIError, ...]) -> str:
    """CI reports errors in the lines of a fix that was applied."""
    name = short(proposal.id)
    return joined(
        [
            f"**CI fails after fix `{name}`** ({title(proposal)}). Commit {code(sha[:12])} has "
            f"{plural(len(errors), 'error')} that {'was' if len(errors) == 1 else 'were'} not there before the fix:",
            "\n".join(f"- {error_line(error)} at {place(error)}" for error in errors[:5]),
            f"`/heal rollback {name}` reverts the fix.",
        ]
    )


def queued() -> str:
    """The run has not begun yet."""
    return "A check failed. Heal will start once the other checks on this commit have finished."


def progress(what: str) -> str:
    """What Heal is doing now."""
    return f"In progress: {sentence(what[:1].lower() + what[1:], 300)}"


def skipped(reason: str) -> str:
    """Why Heal did nothing. `reason` is our own sentence."""
    return f"Skipped: {reason}"


def stopped(reason: str) -> str:
    """Why Heal ended before it had found anything. `reason` is our own sentence."""
    return f"Stopped: {reason}"


def nothing_failed() -> str:
    """The check run of a commit on which no check has failed."""
    return "No check has failed on this commit. If one does, Heal adds a check run with the result."
