"""The answers to commands (SC-2): what happened, why, what to do next. All arguments may be foreign text."""

from datetime import UTC, datetime, timedelta

from handlers.comments.clean import block, cell, code, fold, joined, prose, sentence
from handlers.comments.local import in_a_checkout
from handlers.comments.parts import (
    Errors,
    changes_more,
    closer_look,
    cost,
    duration,
    evidence,
    how_to,
    place,
    plural,
    short,
    standing,
    title,
    told,
)
from handlers.comments.sticky import status_word, where
from handlers.comments.summary import not_looked_list, unfixable_list
from handlers.ports import Run, StoredProposal
from healing.model import Proposal, Unfixable

HelpLine = tuple[str, str, str]  # (syntax, what it does, who may: `anyone` or `write`)


def help_text(lines: tuple[HelpLine, ...]) -> str:
    """All commands, from their own registry."""
    who = {"anyone": "anyone", "write": "write access"}
    rows = [f"| {cell(f'`{syntax}`')} | {what} | {who[may]} |" for syntax, what, may in lines]
    return "\n".join(
        [
            "Say these at the start of a line. In a reply under a suggestion the id may be left out.",
            "",
            "| Command | What it does | Who may |",
            "|---|---|---|",
            *rows,
        ]
    )


def unknown_command(word: str, meant: str | None, help_: str) -> str:
    """There is no such command; perhaps another was meant."""
    guess = f" Did you mean `/heal {meant}`?" if meant else ""
    return f"There is no command {code('/heal ' + word, 60)}.{guess}\n\n{help_}"


def may_not(word: str, login: str) -> str:
    """Refusal for lack of permission: who may, and what to do."""
    command = f"/heal {word}".strip()
    return (
        f"`{command}` needs write access to this repository, and GitHub says that {code(login, 60)} has none. Nothing "
        "was done. Ask somebody with write access to say it; `/heal list`, `show`, `status`, `unfixable` and `help` "
        "are for everybody."
    )


def asked_enough(most: int, until: float) -> str:
    """Somebody used up what anyone may ask in an hour. Said once: then Heal is silent until then."""
    again = datetime.fromtimestamp(until, UTC) + timedelta(seconds=59)  # to the next full minute: never too early
    return (
        f"Heal answers {most} questions a person an hour here, and that was one more. Ask again after "
        f"{again:%H:%M} UTC; until then Heal says nothing to your questions. The check run “Heal” has the whole story."
    )


def apology(reference: str) -> str:
    """The one answer to an error of ours."""
    return (
        f"Something went wrong inside Heal, and it is not your fault. Nothing more will happen by itself. "
        f"Say it again in a while; if it stays, show the operator this: {code(reference, 80)}."
    )


def proposal_list(stored: tuple[StoredProposal, ...]) -> str:
    """All fixes of the pull request."""
    if not stored:
        return "Heal has no fix for this pull request yet. The check run “Heal” says why; `/heal` starts a new look."
    rows = [
        f"- {status_word(item)} `{short(item.proposal.id)}` {title(item.proposal)}{where(item)}"
        f"{': ' + prose(item.reason, 200) if item.reason else ''}"
        for item in stored[:100]
    ]
    return joined([plural(len(stored), "fix") + ":", "\n".join(rows), "`/heal show <id>` shows one with its evidence."])


def shown_proposal(item: StoredProposal, errors: Errors, diff: str | None) -> str:
    """One fix with everything that is known of it."""
    proposal = item.proposal
    broke = "\n".join(f"- {told(errors[id_])} at {place(errors[id_])}" for id_ in proposal.error_ids if id_ in errors)
    return joined(
        [
            f"{status_word(item)} `{short(proposal.id)}` **{title(proposal)}** "
            f"({standing(proposal)}, by {code(proposal.source, 60)}){where(item)}",
            f"What broke:\n{broke}" if broke else "",
            prose(proposal.explanation),
            closer_look(proposal),
            fold("The change", block(diff, "diff", most=20_000)) if diff else "",
            in_a_checkout(diff),
            evidence(proposal),
            how_to(proposal),
        ]
    )


def applied_line(proposal_id: str, sha: str) -> str:
    """A fix was committed."""
    return f"- `{short(proposal_id)}` verified again and committed as {code(sha[:12])}."


def already_line(proposal_id: str) -> str:
    """A fix is in the branch already."""
    return f"- `{short(proposal_id)}` is on the branch already; nothing to do."


def refused_line(proposal_id: str, why: str) -> str:
    """A fix was not applied, and why."""
    return f"- `{short(proposal_id)}` was **not** applied: {sentence(why, 600)}"


def in_pull_line(proposal_id: str, number: int) -> str:
    """A fix that GitHub doesn't let us commit is in a pull request."""
    return f"- `{short(proposal_id)}` is in pull request #{number}: merge that one."


def not_committed_line(proposal_id: str, patch: bool) -> str:
    """A fix that GitHub lets us neither commit nor put into a pull request."""
    return f"- `{short(proposal_id)}` was **not** applied.{' Its patch is below.' if patch else ''}"


def by_name_only(proposals: tuple[Proposal, ...]) -> str:
    """What `apply all` leaves out: fixes that change tests, or what is run, are applied by their own id."""
    return "\n".join(
        f"- `{short(one.id)}` was left out, because it {changes_more(one)}: `/heal apply {short(one.id)}` commits it."
        for one in proposals
    )


def applied(lines: tuple[str, ...], done: int, refused: tuple[str, ...] = ()) -> str:
    """The answer to `apply`; `done`: how many are on the branch; `refused`: what GitHub said no to, and patches of what
    it kept out."""
    end = "`/heal rollback <id>` takes one back." if done else "`/heal retry` looks for a fix of the code as it is now."
    return joined(["\n".join(lines), *refused, *(() if refused and not done else (end,))])


def fork_patch(patches: tuple[str, ...]) -> str:
    """`apply` on a fork: Heal pushes nothing there; what the person can do instead."""
    said = (
        "This pull request comes from a fork, and Heal never pushes to forks. Nothing was changed. Accept the "
        "suggested change on the page, or apply the patch:"
    )
    return joined([said, *patches])


def closed(number: int) -> str:
    """Nothing is committed to a closed pull request."""
    return f"Pull request #{number} is closed, so nothing was changed. Reopen it and say it again."


def moved() -> str:
    """The branch moved between verifying and committing."""
    return (
        "The branch moved while the change was being verified, so nothing was committed. Say it again: it will be "
        "verified on the new head."
    )


def rejected(ids: tuple[str, ...], why: str) -> str:
    """The answer to `reject`."""
    reason = f" Reason noted: {sentence(why, 400)}" if why else " A reason, said after the id, is kept with it."
    return f"Rejected: {', '.join(f'`{short(id_)}`' for id_ in ids)}. It won't be offered here again.{reason}"


def unfixables(reports: tuple[Unfixable, ...], run: Run | None) -> str:
    """The answer to `unfixable`."""
    skipped = run.outcome.not_looked if run and run.outcome else ()
    if not reports and not skipped:
        return "Heal has no report of something that it can't fix here. `/heal list` shows the fixes."
    return joined(
        [
            unfixable_list(reports),
            not_looked_list(skipped),
            "`/heal retry how: …` tries again with your hint.",
        ]
    )


STATES = {
    "gathering": "waiting until the commit's checks have settled",
    "running": "at work",
    "done": "done",
    "superseded": "stopped, because the branch moved on",
    "stopped": "stopped; the check run “Heal” says why",
}


def status(runs: tuple[Run, ...], stored: tuple[StoredProposal, ...]) -> str:
    """The answer to `status`."""
    if not runs:
        return "Heal has heard of no failed check on this pull request, so there is nothing to heal."
    rows = [f"- {code(run.sha[:12])}, attempt {run.attempt}: {STATES[run.state]}{_result(run)}" for run in runs[:10]]
    counts = {word: sum(item.status == word for item in stored) for word in ("offered", "applied", "rejected")}
    fixes = ", ".join(f"{count} {word}" for word, count in counts.items())
    return joined(["\n".join(rows), f"Fixes: {fixes}."])


def _result(run: Run) -> str:
    if run.outcome is None:
        return ""
    errors, fixes = plural(len(run.outcome.errors), "error"), plural(len(run.outcome.proposals), "fix")
    return f" ({errors}, {fixes}, {run.outcome.verdict})"


def costs(runs: tuple[Run, ...]) -> str:
    """The answer to `cost`."""
    looked = [(run, run.outcome) for run in runs if run.outcome is not None]
    if not looked:
        return "No run of this pull request has ended yet, so nothing was spent."
    rows = [
        f"- {code(run.sha[:12])}, attempt {run.attempt}: {cost(out.spending)}{_took(out.seconds)}"
        for run, out in looked
    ]
    total = sum(out.spending.dollars for _, out in looked)
    return joined([f"${total:.2f} on this pull request so far.", "\n".join(rows[:20])])


def _took(seconds: dict[str, float]) -> str:
    return f" Took {duration(seconds)}." if seconds else ""


def about(id_: str, started: str) -> str:
    """The answer to `retry` with an id, before the one to any `retry`."""
    return f"About `{short(id_)}`: {started}"


def in_the_way(proposal_id: str, applied: bool) -> str:
    """`retry` of a fix that is there."""
    name = short(proposal_id)
    if applied:
        return f"`{name}` is on the branch, so nothing was started. `/heal rollback {name}` takes it back; then retry."
    return (
        f"`{name}` is offered and still holds, so nothing was started. For another fix, say `/heal reject {name}` with "
        "the reason, and then `/heal retry how: …`."
    )


def names_nothing(word: str, near: tuple[str, ...]) -> str:
    """Something that looks like an id and is none."""
    return (
        f"No error, fix, report or cluster of this pull request has an id that starts with {code(word, 60)}, so "
        f"nothing was done.{_meant(near)} `/heal list` and `/heal unfixable` show the ids; a hint without an id goes "
        "after `how:`."
    )


def at_work(sha: str) -> str:
    """A run is going on already."""
    return f"Heal is already at work on {code(sha[:12])}; the check run “Heal” shows how it goes."


def nothing_red(sha: str) -> str:
    """No failure of this commit is known."""
    return (
        f"Heal has heard of no failed check on {code(sha[:12])}, so there is nothing to heal. If one failed before "
        "Heal was installed, re-run the failed job: its next failure reaches Heal."
    )


def no_pull(number: int) -> str:
    """The pull request is gone."""
    return f"GitHub doesn't show pull request #{number} to Heal. Nothing was done."


def _meant(near: tuple[str, ...]) -> str:
    """Ids that somebody may have meant."""
    return f" Did you mean {' or '.join(f'`{short(id_)}`' for id_ in near)}?" if near else ""


def not_known(word: str, ids: tuple[str, ...], near: tuple[str, ...] = ()) -> str:
    """An id that names no fix here."""
    known = f" Known here: {', '.join(f'`{short(id_)}`' for id_ in ids[:20])}." if ids else " There is none here yet."
    return f"No fix of this pull request has an id that starts with {code(word, 60)}.{_meant(near)}{known}"


def ambiguous(word: str, ids: tuple[str, ...]) -> str:
    """A prefix of more than one id."""
    return f"{code(word, 60)} is the start of several ids: {', '.join(f'`{id_}`' for id_ in ids)}. Type more digits."


def which(command: str, ids: tuple[str, ...]) -> str:
    """A command that needs an id got none."""
    if not ids:
        return f"There is no fix here that `/heal {command}` could be about. `/heal list` shows all."
    return f"Which one? Say `/heal {command} <id>`, with one of {', '.join(f'`{short(id_)}`' for id_ in ids[:20])}."


def no_patch(proposal_id: str) -> str:
    """A fix that no comment can carry as a patch."""
    return f"`{short(proposal_id)}` has no patch here: it doesn't fit the head, or a comment would spoil a file's name."


def reject_applied(ids: tuple[str, ...]) -> str:
    """`reject` of something that is on the branch."""
    names = ", ".join(f"`{short(id_)}`" for id_ in ids)
    return f"{names} is on the branch already, so nothing was rejected. `/heal rollback` takes it back."
