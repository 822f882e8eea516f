"""The answers to commands: what happened, why, what to do next. All arguments may be untrusted text."""

from collections import Counter
from datetime import UTC, datetime, timedelta

from handlers.comments.clean import block, cell, code, fold, joined, prose, sentence
from handlers.comments.endings import verdict_words
from handlers.comments.local import in_a_checkout
from handlers.comments.makers import made_by
from handlers.comments.parts import (
    Errors,
    by_id,
    changes_more,
    closer_look,
    cost,
    duration,
    error_line,
    evidence,
    how_to,
    place,
    plural,
    short,
    standing,
    title,
)
from handlers.comments.reasons import NOT_FITTING
from handlers.comments.starting import AGAIN, AGAIN_ANYWHERE
from handlers.comments.sticky import WORDS, reason, status_word, where
from handlers.comments.summary import not_checked_list, unfixable_list
from handlers.model import Run, StoredProposal
from healing.model import Proposal, Unfixable

MAX_LISTED = 100  # fixes

HelpLine = tuple[str, str, str]  # (syntax, what it does, who may: `anyone` or `write`)


def help_text(lines: tuple[HelpLine, ...]) -> str:
    """The table of all commands."""
    who = {"anyone": "anyone", "write": "write access"}
    rows = [f"| {cell(f'`{syntax}`')} | {what} | {who[may]} |" for syntax, what, may in lines]
    return "\n".join(
        [
            "Write a command at the start of a line. In a reply to a suggestion, you can leave out the id.",
            "",
            "| Command | What it does | Who can use it |",
            "|---|---|---|",
            *rows,
        ]
    )


def asked_on_dashboard(login: str, word: str, args: tuple[str, ...]) -> str:
    """The opening of an answer to a command on Heal's dashboard, because no comment shows that command."""
    command = " ".join(("/heal", word, *args))
    return f"{code(login, 60)} on Heal's dashboard: {code(command, 300)}\n\n"


def unknown_command(word: str, meant: str | None, help_: str) -> str:
    """For an unknown command. `meant`: the command that was probably meant; empty for a bare `/heal`."""
    guess = f" Did you mean `{f'/heal {meant}'.strip()}`?" if meant is not None else ""
    return f"Unknown command {code('/heal ' + word, 60)}.{guess}\n\n{fold('All commands', help_)}"


def may_not(word: str, login: str, for_anyone: tuple[str, ...]) -> str:
    """For a person without write access. `for_anyone`: the commands that need none."""
    command = f"/heal {word}".strip()
    *others, last = (f"`/heal {one}`" for one in for_anyone)
    return (
        f"`{command}` needs write access to this repository, which {code(login, 60)} doesn't have. Nothing was "
        f"changed. Ask somebody with write access; {', '.join(others)} and {last} work for everybody."
    )


def asked_enough(most: int, until: float) -> str:
    """For a person who reached the hourly limit of commands. Posted once; Heal gives no further answers until
    `until`."""
    again = datetime.fromtimestamp(until, UTC) + timedelta(seconds=59)  # to the next full minute: never too early
    return (
        f"You have reached the limit of {most} commands an hour. Heal will answer again after {again:%H:%M} UTC. "
        "Until then, the check run “Heal” has all results."
    )


def apology(reference: str, what: str = "command") -> str:
    """For an internal error in a command or a run."""
    when, again = "while handling this command", "Repeat the command."
    if what == "run":
        when, again = "during this run", AGAIN_ANYWHERE
    return (
        f"Heal hit an internal error {when}. {again} If it happens again, send your Heal admin this reference: "
        f"{code(reference, 80)}."
    )


def proposal_list(stored: tuple[StoredProposal, ...]) -> str:
    """The answer to `list`: all fixes of the pull request."""
    if not stored:
        return f"No fix for this pull request yet. The check run “Heal” says why. {AGAIN}"
    rows = [
        f"- {status_word(item)} `{short(item.proposal.id)}` {title(item.proposal)}{where(item)}"
        f"{': ' + prose(reason(item), 200) if reason(item) else ''}"
        for item in stored[:MAX_LISTED]
    ]
    if len(stored) > len(rows):
        rows.append(f"\n… and {len(stored) - len(rows)} more.")
    return joined([plural(len(stored), "fix") + ":", "\n".join(rows), "`/heal show <id>` shows one with its proof."])


def shown_proposal(item: StoredProposal, errors: Errors, diff: str | None) -> str:
    """The answer to `show`: a fix with its change and proof."""
    proposal = item.proposal
    broke = "\n".join(
        f"- {error_line(errors[id_])} at {place(errors[id_])}" for id_ in proposal.error_ids if id_ in errors
    )
    return joined(
        [
            f"{status_word(item)} `{short(proposal.id)}` **{title(proposal)}**{where(item)}",
            f"Made by {made_by(proposal.source)}: {standing(proposal)}.",
            f"Fixes:\n{broke}" if broke else "",
            prose(proposal.explanation),
            closer_look(proposal),
            fold("The change", block(diff, "diff", most=20_000)) if diff else "",
            in_a_checkout(diff) if item.status != "applied" else "",
            evidence(proposal, errors),
            how_to(proposal, item.status),
        ]
    )


def applied_line(proposal_id: str, sha: str) -> str:
    """A fix was committed."""
    return f"- `{short(proposal_id)}` was tested again and committed as {code(sha[:12])}."


def already_line(proposal_id: str) -> str:
    """A fix is in the branch already."""
    return f"- `{short(proposal_id)}` is already on the branch."


def refused_line(proposal_id: str, why: str) -> str:
    """A fix was not applied, and why."""
    return f"- `{short(proposal_id)}` was **not** applied: {sentence(why, 600)}"


def in_pull_line(proposal_id: str, number: int) -> str:
    """A fix is in a pull request, because GitHub refused the commit or somebody asked for it."""
    return f"- `{short(proposal_id)}` is in pull request #{number}. Merge it to apply the fix."


def not_committed_line(proposal_id: str, patch: bool) -> str:
    """GitHub refused both the commit and the pull request with a fix."""
    return f"- `{short(proposal_id)}` was **not** applied.{' Its patch is below.' if patch else ''}"


def by_name_only(proposals: tuple[Proposal, ...]) -> str:
    """The fixes that `apply all` skips: those that change tests or what is run are only applied by their id."""
    return "\n".join(
        f"- `{short(one.id)}` was skipped because it {changes_more(one)}: `/heal apply {short(one.id)}` commits it."
        for one in proposals
    )


def applied(lines: tuple[str, ...], done: int, refused: tuple[str, ...] = (), missed: int = 0) -> str:
    """The answer to `apply`. `done`: how many fixes are on the branch; `missed`: how many couldn't be applied;
    `refused`: what GitHub refused, and patches of those fixes. A fix in a pull request can't be rolled back before that
    is merged."""
    committed = f"`/heal rollback <id>` reverts {'a committed fix' if refused else 'one'}." if done else ""
    again = "`/heal retry` looks for another fix." if missed else ""
    return joined(["\n".join(lines), *refused, " ".join(filter(None, [committed, again]))])


def fork_patch(patches: tuple[str, ...]) -> str:
    """The answer to `apply` on a fork, to which Heal never pushes: what the person can do instead."""
    what_to_do = (
        "Nothing was changed: this pull request comes from a fork, and Heal never pushes to forks. Commit the "
        "suggested change on this pull request, or apply the patch:"
    )
    return joined([what_to_do, *patches])


def closed(number: int) -> str:
    """For a command on a closed pull request."""
    return f"Nothing was changed: pull request #{number} is closed. Reopen it and repeat the command."


def moved() -> str:
    """The branch changed between the test and the commit."""
    return (
        "Nothing was committed: the branch changed while the fix was being tested. Repeat the command to test it on "
        "the current commit."
    )


def rejected(ids: tuple[str, ...], why: str) -> str:
    """The answer to `reject`."""
    reason = f" Reason: {sentence(why, 400)}" if why else " You can add a reason after the id."
    names, they = ", ".join(f"`{short(id_)}`" for id_ in ids), "it" if len(ids) == 1 else "they"
    return f"Rejected {names}; {they} won't be offered on this pull request again.{reason}"


def unfixables(reports: tuple[Unfixable, ...], run: Run | None) -> str:
    """The answer to `unfixable`."""
    skipped = run.outcome.not_looked if run and run.outcome else ()
    if not reports and not skipped:
        return "No error on this pull request needs you. `/heal list` shows the fixes."
    return joined(
        [
            "" if reports else "None of the errors that Heal could check needs you.",
            unfixable_list(reports, by_id(run.outcome.errors if run and run.outcome else ())),
            not_checked_list(skipped),
            "`/heal retry how: …` tries again with your hint."
            if any(one.reason != "no-key" for one in reports)
            else "",
        ]
    )


STATES = {
    "gathering": "waiting for the commit's other checks",
    "running": "in progress",
    "done": "done",
    "superseded": "stopped, because there is a newer commit",
    "stopped": "stopped; the check run “Heal” says why",
}


def status(runs: tuple[Run, ...], stored: tuple[StoredProposal, ...]) -> str:
    """The answer to `status`."""
    if not runs:
        return "No check has failed on this pull request."
    rows = [f"- {_run(run)}: {STATES[run.state]}{_result(run)}" for run in runs[:10]]
    counts = Counter(WORDS[item.status] for item in stored)
    fixes = ", ".join(f"{counts[word]} {word}" for word in dict.fromkeys(("open", "applied", "rejected", *counts)))
    return joined(["\n".join(rows), f"Fixes: {fixes}."])


def _run(run: Run) -> str:
    """A run by its id, once it has one, and its commit. All attempts at a commit have the same id."""
    attempt = f" (attempt {run.attempt})" if run.attempt > 1 else ""
    return f"Run{f' {code(run.run_id)}' if run.run_id else ''} on {code(run.sha[:12])}{attempt}"


def _result(run: Run) -> str:
    if run.outcome is None:
        return ""
    errors, fixes = plural(len(run.outcome.errors), "error"), plural(len(run.outcome.proposals), "fix")
    return f" ({errors}, {fixes}; {verdict_words(run.outcome.verdict)})"


def costs(runs: tuple[Run, ...]) -> str:
    """The answer to `cost`."""
    looked = [(run, run.outcome) for run in runs if run.outcome is not None]
    if not looked:
        return "$0.00: no run of this pull request has finished yet."
    rows = [f"- {_run(run)}: {cost(out.spending)}{_took(out.seconds)}" for run, out in looked]
    total = sum(out.spending.dollars for _, out in looked)
    return joined([f"${total:.2f} on this pull request so far.", "\n".join(rows[:20])])


def _took(seconds: dict[str, float]) -> str:
    return f" Took {duration(seconds)}." if seconds else ""


def in_the_way(proposal_id: str, applied: bool) -> str:
    """For `retry` of a fix that is open or applied."""
    name = short(proposal_id)
    if applied:
        return f"Nothing was started: `{name}` is on the branch. Revert it first with `/heal rollback {name}`."
    return (
        f"Nothing was started: `{name}` is still open. For another fix, first `/heal reject {name}` with the reason, "
        "then `/heal retry how: …`."
    )


def names_nothing(word: str, near: tuple[str, ...], hints: bool = True) -> str:
    """For a word that looks like an id and is none. `hints`: the command also takes a hint."""
    hint = " If that was a hint, write `/heal retry how: …`." if hints else ""
    return (
        f"No fix or error has the id {code(word, 60)}.{_meant(near)} `/heal list` and `/heal unfixable` show the ids."
        f"{hint}"
    )


def at_work(sha: str) -> str:
    """A run is already in progress."""
    return f"A run on {code(sha[:12])} is already in progress; the check run “Heal” shows its progress."


def nothing_red(sha: str) -> str:
    """No check of this commit has failed."""
    return (
        f"No check has failed on {code(sha[:12])} since Heal was installed. If one failed before, re-run the failed "
        "job, so that Heal sees it."
    )


def no_pull(number: int) -> str:
    """Heal can't read the pull request."""
    return (
        f"Nothing was done: Heal can't read pull request #{number}, because GitHub answers “not found” (404). Ask your "
        "Heal admin to check that Heal's GitHub App is installed on this repository and may read pull requests. Then "
        "repeat the command."
    )


def _meant(near: tuple[str, ...]) -> str:
    """Ids that somebody may have meant."""
    return f" Did you mean {' or '.join(f'`{short(id_)}`' for id_ in near)}?" if near else ""


def not_known(word: str, ids: tuple[str, ...], near: tuple[str, ...] = ()) -> str:
    """For an id of no fix. `ids`: the fixes that the command could be about."""
    known = " There are no fixes yet."
    if ids:
        known = f" Fixes on this pull request: {', '.join(f'`{short(id_)}`' for id_ in ids[:20])}."
    return f"No fix has the id {code(word, 60)}.{_meant(near)}{known}"


def ambiguous(word: str, ids: tuple[str, ...]) -> str:
    """For a prefix of several ids."""
    return (
        f"{code(word, 60)} is the start of several ids: {', '.join(f'`{id_}`' for id_ in ids)}. Type more characters."
    )


def which(command: str, ids: tuple[str, ...]) -> str:
    """For a command that needs an id and got none."""
    if not ids:
        return f"No fix on this pull request can be used with `/heal {command}`. `/heal list` shows all fixes."
    return f"Which fix? `/heal {command} <id>`, with one of {', '.join(f'`{short(id_)}`' for id_ in ids[:20])}."


def no_patch(proposal_id: str, why: str) -> str:
    """For a fix without a patch; `why` is a clause."""
    name = short(proposal_id)
    by_hand = f"`/heal show {name}` describes the fix, so that you can make it by hand."
    next_step = "`/heal retry` looks for another fix." if why == NOT_FITTING else by_hand
    return f"Heal can't show a patch of `{name}`: {why}. {next_step}"


def reject_applied(ids: tuple[str, ...]) -> str:
    """For `reject` of fixes that are on the branch."""
    names = ", ".join(f"`{short(id_)}`" for id_ in ids)
    are, them = ("is", "it") if len(ids) == 1 else ("are", "them")
    revert = f"`/heal rollback {' '.join(map(short, ids))}` reverts {them}."
    return f"Nothing was rejected: {names} {are} already on the branch. {revert}"
