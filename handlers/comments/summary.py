"""The check run's texts: progress, the summary, and why Heal did nothing (GH-3, GH-10)."""

from handlers.comments.clean import block, cell, code, fold, joined, label, prose, sentence
from handlers.comments.parts import cost, duration, place, plural, price, short, title, told
from handlers.comments.reports import why_not
from handlers.comments.sticky import WORDS
from handlers.ports import STANDING, StoredProposal
from healing.endings import counted
from healing.model import CIError, NotLooked, Outcome, Proposal, Unfixable

Offers = dict[str, str]  # proposal id → how it was offered: `suggestion`, `fixup`, `patch`, or why it was not
MOST_ROWS = 40
MOST_CULPRITS = 10
MOST_PLACES = 5

DRY = ("**Dry run:** nothing was offered. `/heal apply <id>` commits a fix below, `/heal` offers them all.",)
NOTHING_FAILED = "Nothing has failed"  # the same
NOTHING_LEFT = "Nothing is left to heal"  # a check run's title
QUEUED = "Queued"  # likewise
HOW_OFFERED = {
    "suggestion": "suggested change",
    "fixup": "fixup pull request",
    "patch": "patch in the summary comment",
    "none": "not offered",
}


def stands(item: StoredProposal) -> str:
    """How a fix is offered, and why not as a suggested change; or what became of it."""
    how = HOW_OFFERED[item.delivery] if item.status in STANDING else WORDS[item.status]
    return f"{how}: {item.reason}" if item.reason else how


def summary_title(outcome: Outcome, offered: int) -> str:
    """The check run's title."""
    if outcome.verdict == "could-not-look":
        return "Could not look"
    if not outcome.errors:
        return "No error found in what failed"
    errors = plural(len(outcome.errors), "error")
    if {resolution.how for resolution in outcome.resolutions} == {"flaky"}:
        return f"Flaky: {errors} did not show again"
    return f"{plural(offered, 'fix')} offered for {counted(outcome)}" if offered else f"No fix found for {errors}"


def _prevented(outcome: Outcome) -> str:
    """How often something was kept from getting worse (CK-6)."""
    count = outcome.regressions_prevented
    return f"{plural(count, 'fix')} that would have broken something else: not offered." if count else ""


def summary(outcome: Outcome, offers: Offers, notes: tuple[str, ...] = (), opening: str = "") -> str:
    """The check run's summary: what ended how, what is offered, what is not and why, cost and time. `opening` takes the
    place of the result in one line."""
    took = f" Took {duration(outcome.seconds)}." if outcome.seconds else ""
    return joined(
        [
            opening or verdict(outcome),
            *notes,
            _offered(outcome.proposals, offers),
            _errors(outcome),
            _culprits(outcome),
            unfixable_list(outcome.unfixables),
            not_looked_list(outcome.not_looked),
            _flaky(outcome),
            _preexisting(outcome),
            _drifted(outcome),
            _picture(outcome),
            _prevented(outcome),
            f"**Cost:** {cost(outcome.spending)}{took}",
            f"<sub>Run {code(outcome.run_id)}. `/heal help` lists the commands.</sub>",
        ]
    )


def looks(outcomes: tuple[Outcome, ...]) -> tuple[str, ...]:
    """A note that a commit was looked at more than once, and what each look found."""
    if len(outcomes) < 2:
        return ()
    rows = [
        f"{number}. {plural(len(one.errors), 'error')}, {plural(len(one.proposals), 'fix')} ({one.verdict})"
        for number, one in enumerate(outcomes, 1)
    ]
    head = f"This commit was looked at {len(outcomes)} times; below is all of it, each error as it ended last."
    return ("\n".join([head, "", *rows[-20:]]),)


def earlier(text: str) -> str:
    """What was found before, after what is said now."""
    return f"\n\n---\n\n**Found before on this commit:**\n\n{text}"


def older(count: int) -> tuple[str, ...]:
    """A note about what earlier looks offered and this one had nothing to do with."""
    if not count:
        return ()
    stands = "stands" if count == 1 else "stand"
    return (f"{plural(count, 'fix')} of earlier looks still {stands}: `/heal list` shows all.",)


def verdict(outcome: Outcome) -> str:
    """The result in one line, and what to do next."""
    found = plural(len(outcome.errors), "error")
    if outcome.verdict == "healed":
        return f"All checks that failed are green with the fixes below ({counted(outcome)}). Accept what you like."
    if outcome.verdict == "partly":
        return f"Some of the {found} can be healed with the fixes below; the rest is listed with the reason."
    if outcome.verdict == "not-healed":
        return f"Heal found {found} and has no verified fix. Below is why, and what a person could do."
    return "Heal could not look, so this says nothing about the code. Below is why, and what would help."


def _offered(proposals: tuple[Proposal, ...], offers: Offers) -> str:
    if not proposals:
        return ""
    rows = ["| Fix | What | Confidence | Cost | Offered as |", "|---|---|---|---|---|"]
    for proposal in proposals[:MOST_ROWS]:
        how = offers.get(proposal.id, "none")
        words = HOW_OFFERED.get(how) or prose(how, 200)
        sure = f"{proposal.confidence} | {price(proposal)}"
        rows.append(f"| `{short(proposal.id)}` | {cell(title(proposal))} | {sure} | {cell(words)} |")
    return "\n".join([*rows, *_more(len(proposals))])


def _culprits(outcome: Outcome) -> str:
    """The change's own lines without which an error is gone: an explanation, never a fix (AF-6)."""
    errors = {error.id: error for error in outcome.errors}
    rows = []
    for culprit in outcome.culprits[:MOST_CULPRITS]:
        named = ", ".join(code(f"{at.file}:{at.line}") for at in culprit.places[:MOST_PLACES])
        more = f" and {len(culprit.places) - MOST_PLACES} more" if len(culprit.places) > MOST_PLACES else ""
        what = next((told(errors[i], 120) for i in culprit.error_ids if i in errors), "an error")
        rows.append(f"- {prose(what, 140)}: gone without what this change wrote at {named}{more}")
    return "\n".join(["**What broke it:**", "", *rows]) if rows else ""


def _errors(outcome: Outcome) -> str:
    if not outcome.errors:
        return ""
    how = {resolution.error_id: resolution.how for resolution in outcome.resolutions}
    rows = ["| Error | Where | Ended as |", "|---|---|---|"]
    for error in outcome.errors[:MOST_ROWS]:
        ending = _ending(how.get(error.id))
        seen = outcome.sightings.get(error.id, 1)
        where = f"{place(error)} (in {seen} jobs)" if seen > 1 else place(error)
        rows.append(f"| {cell(told(error, 120))} | {cell(where)} | {cell(ending)} |")
    table = "\n".join([*rows, *_more(len(outcome.errors))])
    return table if len(outcome.errors) <= 10 else fold(f"All {len(outcome.errors)} errors", table)


def _ending(how: str | None) -> str:
    if how is None:
        return "no resolution"
    kind, _, name = how.partition(":")
    if kind in ("fix", "unfixable") and name:
        return f"{kind} `{short(name)}`" if name.isalnum() else code(how, 60)
    return code(how, 60)


def _more(count: int) -> list[str]:
    return [f"\n… and {count - MOST_ROWS} more."] if count > MOST_ROWS else []


def unfixable_list(reports: tuple[Unfixable, ...]) -> str:
    """What has no fix, with why and what a person could do."""
    if not reports:
        return ""
    lines = ["**Not fixable by Heal:**", ""]
    for report in reports[:MOST_ROWS]:
        words = why_not(report)
        advice = f" *What you can do:* {words.advice}" if words.advice else ""
        tried = f" *Tried:* {sentence(report.tried, 300)}" if report.tried else ""
        lines.append(
            f"- `{short(report.id)}` ({prose(report.reason, 40)}, {plural(len(report.error_ids), 'error')}): "
            f"{words.why}{tried}{advice}"
        )
    return "\n".join([*lines, *_more(len(reports))])


def not_looked_list(items: tuple[NotLooked, ...]) -> str:
    """What could not be looked at, with why and what would help."""
    if not items:
        return ""
    lines = ["**Could not look at:**", ""]
    for item in items[:MOST_ROWS]:
        advice = f" *What you can do:* {sentence(item.advice, 300)}" if item.advice else ""
        lines.append(f"- {prose(item.what, 200)}: {sentence(item.why, 400)}{advice}")
    return "\n".join([*lines, *_more(len(items))])


def _flaky(outcome: Outcome) -> str:
    """What CI reported and a second look at the same tree did not show (CK-4)."""
    count = sum(resolution.how == "flaky" for resolution in outcome.resolutions)
    if not count:
        return ""
    return (
        f"**Flaky:** {plural(count, 'error')} did not show again on the untouched tree. *What you can do:* Re-run the "
        "failed job; if it comes back, the test needs a look of its own."
    )


def _preexisting(outcome: Outcome) -> str:
    """What the base branch has too: not this pull request's to heal (IN-6)."""
    count = sum(resolution.how == "preexisting" for resolution in outcome.resolutions)
    if not count:
        return ""
    return (
        f"**Pre-existing:** the base branch shows {plural(count, 'error')} of these too, so nothing is offered for "
        "them here. *What you can do:* Mend them once, on the base branch. Where that is the default branch Heal looks "
        "there itself, and offers one pull request for all."
    )


def _drifted(outcome: Outcome) -> str:
    """What came with the base branch, and not with this change (IN-8)."""
    ends = {resolution.error_id: resolution.how for resolution in outcome.resolutions}
    left = [id_ for id_ in outcome.drifted if ends.get(id_, "").startswith("unfixable:")]
    if not left:
        return ""
    return (
        f"**Base drift:** this branch by itself doesn't show {plural(len(left), 'error')} of these; only its merge "
        "with the base branch does, which is what CI built. *What you can do:* Update the branch (merge the base into "
        "it, or rebase it) and mend it there."
    )


def _picture(outcome: Outcome) -> str:
    """Root causes → clusters → fixes, as a Mermaid diagram; nothing where it would say nothing."""
    if not outcome.clusters:
        return ""
    lines = ["flowchart LR"]
    for number, cluster in enumerate(outcome.clusters[:10], 1):
        lines.append(f'  C{number}["cluster {number}, {cluster.phase}: {plural(len(cluster.error_ids), "error")}"]')
        for index, cause in enumerate((one for one in cluster.causes[:5] if not one.explained_by), 1):
            lines.append(f'  R{number}x{index}("{label(cause.message)}") --> C{number}')
        for fix, proposal in enumerate(outcome.proposals, 1):
            if set(proposal.error_ids) & set(cluster.error_ids):
                lines.append(f'  C{number} --> F{fix}["fix {label(short(proposal.id))}"]')
    return fold("Root causes, clusters and fixes", f"{_counts(outcome)}\n\n{block(chr(10).join(lines), 'mermaid')}")


def _counts(outcome: Outcome) -> str:
    """How far the errors came down to what has to be cured (CL-1)."""
    behind = sum(bool(cause.explained_by) for cause in outcome.causes)
    errors = plural(sum(len(cause.error_ids) for cause in outcome.causes), "error")
    causes = plural(len(outcome.causes) - behind, "root cause")
    more = f" ({behind} more explained by them)" if behind else ""
    return f"{errors} → {causes}{more} → {plural(len(outcome.clusters), 'cluster')}"


def nothing_left(stored: tuple[StoredProposal, ...]) -> str:
    """A head on which CI is green, after Heal had looked at earlier ones: what was applied, by which fixes."""
    applied = [item for item in stored if item.status == "applied"]
    if not applied:
        return "All checks are green, and nothing is left to heal. None of Heal's fixes is on this branch."
    rows = ["| Fix | What | By | Since |", "|---|---|---|---|"]
    rows += [
        f"| `{short(i.proposal.id)}` | {cell(title(i.proposal))} | {cell(code(i.proposal.source, 60))} | "
        f"{code((i.applied_sha or '')[:12])} |"
        for i in applied[:MOST_ROWS]
    ]
    return joined(
        [
            "All checks are green, and nothing is left to heal. These fixes of Heal are on the branch:",
            "\n".join([*rows, *_more(len(applied))]),
            "`/heal rollback <id>` takes one back.",
        ]
    )


def aftermath(proposal: Proposal, sha: str, errors: tuple[CIError, ...]) -> str:
    """CI fails anew where an applied fix wrote."""
    name = short(proposal.id)
    return joined(
        [
            f"On {code(sha[:12])} CI shows {plural(len(errors), 'error')} in the lines of fix `{name}` "
            f"({title(proposal)}) that it did not show before the fix came in:",
            "\n".join(f"- {told(error)} at {place(error)}" for error in errors[:5]),
            f"`/heal rollback {name}` takes the fix back, byte for byte.",
        ]
    )


def queued() -> str:
    """Work is expected, and has not begun."""
    return "A check failed. Heal starts as soon as the other checks of this commit have finished."


def progress(what: str) -> str:
    """What Heal is doing now."""
    return f"Heal is at work: {sentence(what, 300)}"


def skipped(reason: str) -> str:
    """Why Heal did nothing (GH-10). `reason` is our own sentence."""
    return f"Heal did nothing here: {reason}"


def nothing_failed() -> str:
    """What the check run of a push says on which Heal had nothing to do yet."""
    return (
        "No check has failed on this commit so far. If one does, Heal adds a check run with what it found. This one "
        "only closes the check suite that GitHub opened for Heal, so that nobody waits for it."
    )
