"""Every text that Heal posts, in the order in which a pull request meets them: (heading, [(where it stands, text)])."""

from collections.abc import Iterable

from handlers.comments import (
    answers,
    buttons,
    cancelling,
    chat,
    ci_started,
    edit_conflicts,
    explaining,
    fixup,
    formatting,
    muting,
    pauses,
    reasons,
    refusals,
    reports,
    reruns,
    rollback_answers,
    settings,
    skips,
    starting,
    sticky,
    suggestion,
    summary,
    switches,
    taking,
    withdrawn,
)
from handlers.comments.annotations import annotations, left_out
from handlers.comments.local import in_a_checkout
from handlers.slash import FOR_ANYONE, HELP
from handlers.slash.reading.ids import near_ids
from tests.gallery import values as v
from tests.gallery.rare import rare_texts

Texts = list[tuple[str, str]]
ONE, TWO = (v.FIXED.id,), (v.FIXED.id, v.OTHER.id)
NO_SUGGESTION = (
    reasons.DELETED_LINE, reasons.WHOLE_FILE, reasons.CRLF, reasons.NOT_UTF8, reasons.FINAL_NEWLINE,
    reasons.NO_FINAL_NEWLINE, reasons.JOINS_LINES, reasons.TRAILING_BLANKS, reasons.CONTROL_CHARACTERS,
    reasons.OUR_MARKS, reasons.TOO_LONG, reasons.SAME_LINE, reasons.LINES_TAKEN, reasons.TIED, reasons.REVIEW_FULL,
    reasons.GITHUB_REFUSED, reasons.ON_REQUEST, reasons.NO_PATCH,
)  # fmt: skip
NOT_APPLIED = (reasons.ON_BASE, reasons.UNCLEAR, reasons.EDITED, reasons.IN_THE_WAY)
NOT_OPEN = (reasons.PULL_CLOSED, f"{reasons.THE_FORK}: {reasons.FORK_MOVED}")
BY, SHA = "ada", v.SHA


def catalogue() -> dict[str, Texts]:
    """All of them."""
    return {
        "The check run": _check_run(),
        "Why Heal did nothing": _skipped(),
        "Suggestions and the summary comment": _offers(),
        "Fixup pull requests": _fixups(),
        "The operator's chat": _chat(),
        "Answers to commands": _answers(),
        "Refusals and apologies": _refusals(),
        "Rarer forms of these texts": rare_texts(),
    }


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


TAKEN = (  # where, how they are offered
    ("in a fixup pull request", "fixup", taking.Reach(comments=True, pushes=True)),
    ("as a patch on a fork", "patch", taking.Reach(comments=True, pushes=False)),
    ("on the default branch", "fixup", taking.Reach(comments=False, pushes=False)),
)


def _check_run() -> Texts:
    offered = {v.FIXED.id: "suggestion"}
    summaries = [
        ("some errors are left", v.OUTCOME, offered), ("everything is fixed", v.ALL_FIXED, offered),
        ("nothing is fixed", v.NO_FIX, {}), ("the failure can't be reproduced", v.NOT_SEEN, {}),
        ("flaky", v.FLAKY, {}), ("the base branch is red too", v.ON_BASE, {}),
        ("errors with one cause", v.GROUPED, offered),
        ("the error comes with the base branch", v.DRIFTED, {}), ("a fix would have broken more", v.WORSE, offered),
    ]  # fmt: skip
    return [
        ("while checks run", summary.queued()),
        ("while Heal works", summary.progress("Trying rule-based fixes")),
        *((f"summary, {when}", f"**{summary.summary_title(one, len(how))}**\n\n"
           f"{summary.summary(one, how, take=taking.to_do(one.proposals, how, taking.Reach(True, True)))}")
          for when, one, how in summaries),
        *((f"what to do with fixes, {where}", taking.to_do(v.OUTCOME.proposals, {v.FIXED.id: how}, reach))
          for where, how, reach in TAKEN),
        ("annotation at a line", "\n\n".join(f"**{one.title}**\n{one.message}" for one in annotations(v.OUTCOME))),
        ("annotations that found no room", "\n".join(left_out(v.MANY))),
        ("buttons", "\n".join(f"- **{label}**: {what}" for label, what, _ in (
            buttons.APPLY_ALL, buttons.ROLL_BACK, buttons.RERUN_FAILED, buttons.RETRY))),
        ("note, trial mode", switches.OBSERVING[0]),
        ("note, dry run", summary.DRY[0]),
        ("note, several attempts", summary.looks((v.OUTCOME, v.ALL_FIXED))[0]),
        ("note, the base branch is worked on", summary.handed_on("main")),
        ("note, older fixes", summary.older(2)[0]),
        ("note, earlier results", summary.earlier("(the earlier summary)")),
        ("note, formatting was committed", formatting.committed(SHA)),
        ("note, quiet fixes", muting.quiet_list((v.QUIET,))),
        ("note, silent fixes", muting.silent_note((v.QUIET,))),
        ("note, only quiet fixes", muting.nothing_offered(2)),
        ("why a kind of fix is quiet", muting.why(v.TALLY)),
        ("note, re-run", reruns.ran_again(v.RERUN)),
        ("note, re-run by itself", reruns.BY_ITSELF),
        ("note, re-run waits", reruns.waits(reruns.IN_PROGRESS)),
        ("note, re-run refused", reruns.refused(reruns.refused_by_github("This workflow run cannot be retried"))),
        ("note, a re-run may help", reruns.NOT_GRANTED),
        ("note, flaky tests", reruns.flaky_tests((v.FLAKY_TEST,))),
        ("all checks pass", summary.nothing_left((v.APPLIED,))),
        ("nothing failed yet", summary.nothing_failed()),
        ("CI did not start", ci_started.not_started(SHA)),
    ]  # fmt: skip


def _skipped() -> Texts:
    sentences = [
        skips.OWN, skips.FORK, skips.DRAFT, skips.DEPENDENCY_BOT, skips.MERGE_QUEUE, skips.PATHS, skips.MESSAGE,
        skips.ROLLED_BACK, skips.LOOP, skips.CLOSED_BEFORE, skips.MOVED_BEFORE, skips.NO_PULL,
        skips.branch("wip"), skips.label("no-heal"), skips.BEHIND_IN_QUEUE,
    ]  # fmt: skip
    stopped = [skips.MOVED, skips.ENDED, skips.CLOSED, skips.not_on("main"), skips.retargeted("next")]
    cancelled = cancelling.why(BY, on_dashboard=True)
    return [
        *(("check run", summary.skipped(one)) for one in sentences),
        *(("check run", summary.stopped(one)) for one in stopped),
        ("check run, paused", pauses.still(BY)),
        ("check run, cancelled", summary.stopped(cancelled)),
        ("check run, cancelled with something found", cancelling.ended(cancelled, v.OUTCOME, {}, commands=True)),
        ("check run of the default branch, cancelled", summary.stopped(cancelling.why_of_commit(BY))),
        (
            "check run of the default branch, cancelled with something found",
            cancelling.ended(cancelling.why_of_commit(BY), v.OUTCOME, {}, commands=False),
        ),
    ]


def _offers() -> Texts:
    new = v.EDIT.new_string
    return [
        ("review, above suggestions of rules and tools", suggestion.review("free", SHA, "")),
        ("review, above suggestions of a model", suggestion.review("fast", SHA, "")),
        ("review, on a new commit", suggestion.renewal((v.FIXED,), SHA, "")),
        ("suggestion", suggestion.suggestion(v.FIXED, 1, 1, new, v.KNOWN, v.PATCH)),
        ("suggestion, needs a closer look", suggestion.suggestion(v.FLAGGED, 1, 1, v.HARD_CODED, v.KNOWN)),
        ("suggestion, other errors of the same check are left", suggestion.suggestion(
            v.OTHERS_LEFT, 1, 1, "    total = (\n        price + tax\n    )\n", v.KNOWN)),
        ("suggestion, of a tool, part 2 of 2", suggestion.suggestion(v.OTHER, 2, 2, "", v.KNOWN)),
        ("suggestion, changes a test", suggestion.suggestion(v.IN_TEST, 1, 1, "    assert area(2) == 12.6\n", v.KNOWN)),
        *((f"suggestion, withdrawn because it {why}", withdrawn.withdrawn(one, 1, 1, one.status))
          for why, one in (
              ("is applied", v.APPLIED), ("is rejected", v.REJECTED), ("is reverted", v.REVERTED),
              ("is outdated", v.OUTDATED), ("is offered again", v.OFFERED),
              ("is offered as a pull request", v.IN_FIXUP), ("no longer fits into the diff", v.LISTED))),
        ("summary comment", sticky.sticky(
            SHA, (v.OFFERED, v.APPLIED, v.IN_FIXUP, v.LISTED), ((v.LISTED.proposal.id, v.OTHER_PATCH),),
            "https://heal.example.com/runs", "https://heal.example.com/repositories",
        )),
        ("summary comment, everything is applied", sticky.sticky(SHA, (v.APPLIED, v.APPLIED_TOO))),
        ("summary comment, everything is decided", sticky.sticky(SHA, (v.APPLIED, v.REJECTED, v.RESOLVED))),
        ("summary comment, how each fix stands", "\n".join(
            f"- {summary.stands(one)}"
            for one in (v.OFFERED, v.IN_FIXUP, v.LISTED, v.QUIET, v.REJECTED, v.RESOLVED, v.REVERTED))),
        ("in a checkout", in_a_checkout(v.PATCH)),
        ("CI fails after a fix", summary.regressions(v.FIXED, SHA, v.NEW_ERRORS)),
        ("why a fix is not a suggested change", _list((*NO_SUGGESTION, reasons.not_in_diff("calc.py")))),
        ("why a fix can't be applied", _list((*NOT_APPLIED, reasons.no_file("calc.py")))),
        ("why a fix is no longer open", _list((
            *NOT_OPEN, f"reverted {reasons.reverted_in(SHA)}", reasons.resolved_by(BY), reasons.gone(True),
            reasons.gone(False)))),
        ("comment on a change of heal.yml", settings.proposed(v.SETTINGS, SHA)),
        ("comment on a wrong heal.yml", settings.proposed(v.WRONG, SHA)),
        ("message of a formatting commit", formatting.commit_text(("black", "ruff"), v.FORMATTED)),
    ]  # fmt: skip


def _fixups() -> Texts:
    return [
        ("title", fixup.fixup_title((v.FIXED,), "#5")),
        ("title, of a tool's fix", fixup.fixup_title((v.FOR_FIXUP,), "#5")),
        ("title, of several fixes", fixup.fixup_title((v.FOR_FIXUP, v.IN_TEST), "#5")),
        ("body", fixup.fixup_body((v.FOR_FIXUP, v.IN_TEST), v.KNOWN, "heal/fix/5", "topic", SHA)),
        ("comment, CI passes", fixup.ci_green()),
        ("comment, CI fails", fixup.ci_red(SHA, "topic")),
        ("comment, no CI", fixup.no_ci()),
        ("comment, no teams asked", fixup.teams_not_asked(("core",), "ada")),
        ("comment, not ready", fixup.not_ready(refusals.explained(fixup.READY, v.NO_REVIEW))),
        ("comment, closed", fixup.moved_on(5, "")),
        ("comment, closed with its target", fixup.target_closed(5)),
        ("reason of a rejected fix", fixup.left(BY, 51)),
        ("title of a revert", fixup.rollback_title((v.APPLIED,))),
        ("body of a revert", fixup.rollback_body((v.APPLIED,), BY, "heal/rollback/2")),
    ]


def _chat() -> Texts:
    commit, found = (
        (SHA[:7], f"https://github.com/ada/calc/commit/{SHA}"),
        chat.details(f"https://heal.example.com/runs/ada/calc/{SHA}/1"),
    )
    one = chat.pull_request("fix", "https://github.com/ada/calc/pull/51", 51)
    some = chat.pull_request("needs-you", "https://github.com/ada/calc/pull/51", 51)
    fixed, left = "1 error has a tested fix", "1 of 2 errors has a tested fix; 1 needs you"
    both, none_left = chat.ErrorsByNeed((v.TEST_ERROR,), (v.ERROR,)), chat.ErrorsByNeed((), (v.ERROR,))
    return [
        (where, f"```text\n{text}\n```")  # a chat's own markup, as it is sent
        for where, text in (
            ("Heal has a fix", chat.red_branch("ada/calc", "main", commit, fixed, none_left, (one, found))),
            ("Heal needs somebody", chat.red_branch("ada/calc", "main", commit, left, both, (some, found))),
        )
    ]


def _answers() -> Texts:
    known = (v.OFFERED, v.APPLIED)
    ids = {"an error": "E1", "a fix": v.FIXED.id, "an error without a fix": v.REPORT.id}
    committed = answers.applied_line(v.FIXED.id, SHA)
    stale = answers.refused_line(v.OTHER.id, edit_conflicts.what_changed(v.MOVED))
    return [
        ("/heal", starting.started(SHA, "")),
        ("/heal, at work already", answers.at_work(SHA)),
        ("/heal, nothing failed", answers.nothing_red(SHA)),
        ("/heal dry-run", starting.started_dry(SHA)),
        ("/heal snapshots", starting.started_snapshots(SHA)),
        ("/heal list", answers.proposal_list((*known, v.REVERTED))),
        ("/heal list, nothing", answers.proposal_list(())),
        ("/heal show", answers.shown_proposal(v.OFFERED, v.KNOWN, v.PATCH)),
        ("/heal apply", answers.applied(
            (committed, stale, answers.already_line(v.IN_TEST.id)), 2, missed=1)),
        ("/heal apply, as a pull request", answers.applied(
            (answers.in_pull_line(v.FIXED.id, 51),), 0, (refusals.explained(refusals.COMMIT, v.REFUSALS[2]),))),
        ("/heal apply, some as a pull request", answers.applied(
            (answers.applied_line(v.OTHER.id, SHA), answers.in_pull_line(v.FIXED.id, 51)), 1,
            (refusals.explained(refusals.COMMIT, v.REFUSALS[2]),))),
        ("/heal apply, not possible", answers.applied(
            (answers.not_committed_line(v.FIXED.id, True),), 0,
            (*refusals.notes(((refusals.COMMIT, v.REFUSALS[2]), (refusals.PULL_REQUEST, v.REFUSALS[2]))),
             sticky.patch(v.FIXED.id, v.PATCH)))),
        ("/heal apply all, leaves out", answers.by_name_only((v.IN_TEST,))),
        ("/heal apply, on a fork", answers.fork_patch((sticky.patch(v.FIXED.id, v.PATCH),))),
        ("/heal apply, closed", answers.closed(5)),
        ("/heal apply, the branch moved", answers.moved()),
        ("/heal reject", answers.rejected(ONE, "we do this another way")),
        ("/heal reject, applied", answers.reject_applied(ONE)),
        ("/heal rollback", rollback_answers.rolled_back(ONE, SHA)),
        ("/heal rollback, as a pull request", rollback_answers.rollback_pull(ONE, 52)),
        ("/heal rollback, a conflict", rollback_answers.conflict(v.FIXED.id, v.RENAMED, v.REVERSE, (v.FLAGGED.id,))),
        ("/heal rollback, nothing to do", rollback_answers.not_applied(ONE)),
        ("/heal rollback, on the base branch", rollback_answers.on_base(ONE)),
        ("/heal rollback, unclear", rollback_answers.unclear(ONE)),
        ("/heal rollback, on a fork", rollback_answers.fork_rollback(ONE)),
        ("/heal unfixable", answers.unfixables((v.REPORT,), v.RUN)),
        ("/heal unfixable, nothing", answers.unfixables((), v.RUN)),
        ("/heal unfixable, as a dashboard's row", "\n".join(
            [reports.why_not_plainly(v.REPORT), reports.reason_of(v.KEYLESS).why, reports.why_left(v.OUTCOME) or ""])),
        ("/heal retry", starting.started(SHA, "use math.pi")),
        ("/heal retry, of an error", starting.started(SHA, "", "e54d61aa")),
        ("/heal retry, of an open fix", answers.in_the_way(v.FIXED.id, False)),
        ("/heal retry, of an applied fix", answers.in_the_way(v.FIXED.id, True)),
        *((f"/heal explain, {what}", explaining.explained(id_, v.OUTCOME, v.OFFERED)) for what, id_ in ids.items()),
        ("/heal explain, a group of errors", explaining.explained(v.GROUP.id, v.GROUPED, None)),
        ("/heal explain, which", explaining.which("zzzz")),
        ("/heal status", answers.status((v.BOTH_FIXED,), known)),
        ("/heal cost", answers.costs((v.RUN,))),
        ("/heal cancel", cancelling.cancelled((SHA,), ())),
        ("/heal cancel, of a run at work", cancelling.cancelled((), (SHA,))),
        ("/heal cancel, nothing in progress", cancelling.NOTHING),
        ("on the dashboard: cancel", answers.asked_on_dashboard(BY, "cancel", ()) + cancelling.cancelled((SHA,), ())),
        ("/heal pause", pauses.paused()),
        ("/heal pause, again", pauses.already(BY)),
        ("/heal resume", pauses.resumed(starting.started(SHA, ""))),
        ("/heal resume, not paused", pauses.not_paused()),
        ("/heal on", f"{switches.ON} {starting.started(SHA, '')}"),
        ("/heal on, again", switches.ALREADY_ON),
        ("/heal off", switches.OFF),
        ("/heal config", settings.current(v.WRONG, "main")),
        ("/heal help", HELP.text()),
        ("a typo", answers.unknown_command("aply", "apply", HELP.text())),
        ("no such command", answers.unknown_command("frobnicate", None, HELP.text())),
    ]  # fmt: skip


def _refusals() -> Texts:
    return [
        ("may not", answers.may_not("apply", "eve", FOR_ANYONE)),
        ("asked enough", answers.asked_enough(10, 1_790_000_000.0)),
        ("unknown id", answers.not_known("a2a4c417", TWO, near_ids("a2a4c417", TWO))),
        ("ambiguous id", answers.ambiguous("a2a4", (v.FIXED.id, "a2a4f19c70d3b586"))),
        ("no id", answers.which("apply", TWO)),
        ("names nothing", answers.names_nothing("abc123", ())),
        ("no pull request", answers.no_pull(5)),
        ("no patch, of a fix that no longer applies", answers.no_patch(v.FIXED.id, reasons.NOT_FITTING)),
        ("no patch, because of a file's name", answers.no_patch(v.FIXED.id, reasons.NO_PATCH)),
        ("while paused", pauses.not_started(BY)),
        *((f"GitHub refuses, {one.kind}",
           refusals.explained(refusals.SUMMARY if one.kind == "locked" else refusals.COMMIT, one))
          for one in v.REFUSALS),
        ("GitHub refuses, in a list", refusals.reason(refusals.FIXUP, v.REFUSALS[2])),
        ("GitHub refuses, in a run", "\n\n".join(refusals.notes(((refusals.REVIEW, v.NO_REVIEW),)))),
        ("GitHub stops a run", refusals.stopped(v.NO_LOG, v.LOG_REQUEST)),
        ("GitHub stops a command", refusals.command_refused("/heal apply", v.REFUSALS[3])),
        ("GitHub stops a rollback", refusals.rollback_refused(v.REFUSALS[2], v.REVERSE)),
        ("GitHub can't be reached", refusals.unreachable("GitHub", "GitHub answered 502: Bad Gateway")),
        ("Heal ended in the middle of a run each time", refusals.never_ended()),
        ("an error of Heal's own", answers.apology("7f3a9c")),
        ("an error of Heal's own, in a run", answers.apology("7f3a9c", "run")),
    ]  # fmt: skip
