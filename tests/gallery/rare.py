"""The rarer forms of the texts: what they say of nothing, of many, and of what seldom happens."""

from handlers.comments import (
    answers,
    cancelling,
    chat,
    edit_conflicts,
    explaining,
    fixup,
    muting,
    parts,
    reports,
    rollback_answers,
    sticky,
    summary,
)
from handlers.comments.annotations import annotations
from handlers.comments.clean import MAX_COMMENT, joined
from handlers.model.edit_conflict import EditConflict
from healing.model import Outcome, Resolution
from tests.gallery import values as v

MANY = 70


def _ends(how: str) -> Outcome:
    """One failing test that ended this way."""
    return v.FLAKY.model_copy(update={"resolutions": (Resolution(error_id="E2", how=how),)})


def _some(how: str) -> Outcome:
    """Two errors, of which the test ended this way."""
    ends = (*v.OUTCOME.resolutions[:1], Resolution(error_id="E2", how=how))
    return v.OUTCOME.model_copy(update={"unfixables": (), "not_looked": (), "resolutions": ends})


def _last_lines(text: str, count: int = 4) -> str:
    """The end of a long list."""
    return "\n".join(["…", "", *text.splitlines()[-count:]])


def rare_texts() -> list[tuple[str, str]]:
    """Returns where each stands, and the text."""
    return [*_checks(), *_offers(), *_answers(), *_chat()]


def _checks() -> list[tuple[str, str]]:
    titles = (summary.QUEUED, summary.WORKING, summary.NOTHING_DONE, summary.STOPPED, cancelling.TITLE,
              summary.summary_title(v.NOT_SEEN, 0),
              summary.summary_title(v.NOT_SEEN.model_copy(update={"verdict": "healed"}), 0))  # fmt: skip
    outside = v.REPORT.model_copy(update={"error_ids": ("another", "one more")})
    drifted = v.OUTCOME.model_copy(update={"drifted": ("E2",)})
    unfinished = v.OUTCOME.model_copy(update={"resolutions": v.OUTCOME.resolutions[:1], "unfixables": ()})
    ends = [annotations(_ends(how))[0].message for how in ("flaky", "preexisting", "cascade:free", "")]
    return [
        ("the check run's titles", "\n".join(f"- {title}" for title in titles)),
        ("annotations of errors that need no fix, or have none", "\n\n".join(ends)),
        ("summary, one error is flaky", summary.summary(_some("flaky"), {}, take="")),
        ("summary, one error is on the base branch", summary.summary(_some("preexisting"), {}, take="")),
        ("summary, one error comes with the base branch", summary.summary(drifted, {}, take="")),
        ("summary, no result for an error", summary.summary(unfinished, {}, take="")),
        ("summary, an error that is not listed", summary.unfixable_list((outside,), {})),
        ("summary, what models would have cost", parts.cost(v.Spending(estimate_dollars=0.18))),
        ("summary, what a lost call cost", parts.cost(v.OUTCOME.spending.model_copy(update={"lost": 1}))),
        ("summary, too long for GitHub", joined(["Heal found 3 errors.", "x" * MAX_COMMENT])),
        ("all checks pass, without Heal's fixes", summary.nothing_left(())),
        ("provider's refusal, as a page says it", _provider()),
    ]


def _provider() -> str:
    answers = (
        ("no-access", "the provider refused this account (Your credit balance is too low)"),
        ("no-access", "the provider refused this account (authentication_error: invalid x-api-key)"),
        ("no-access", "the provider refused this account (permission_error)"),
        ("no-access", "the provider refused this account (account disabled)"),
        ("model-rejected", "the request was rejected (not_found_error: model)"),
        ("model-rejected", "the request was rejected (invalid_request_error)"),
        ("model-unavailable", "no reply (rate_limit_error)"), ("model-unavailable", "no reply (overloaded_error)"),
        ("model-unavailable", "no reply (connection reset)"), ("model-failed", "no edit"), ("model-refusal", "refused"),
        ("context", "too long"),
    )  # fmt: skip
    given = (v.REPORT.model_copy(update={"reason": reason, "why": why, "advice": ""}) for reason, why in answers)
    told = (reports.why_not(one) if number % 2 else reports.reason_of(one) for number, one in enumerate(given))
    return "\n".join(f"- {why.why} {why.advice}" for why in told)


def _offers() -> list[tuple[str, str]]:
    pending = v.OFFERED.model_copy(update={"status": "pending"})
    on_request = v.LISTED.model_copy(update={"reason": sticky.ON_REQUEST})
    by_ci = v.FIXED.model_copy(
        update={"evidence": tuple(one.model_copy(update={"check": {"ci": True}}) for one in v.FIXED.evidence)}
    )
    unproven = v.FIXED.model_copy(update={"evidence": ()})
    return [
        ("summary comment, fixes are being prepared", sticky.sticky(v.SHA, (pending,))),
        ("summary comment, on a fork", sticky.sticky(v.SHA, (v.LISTED,), is_fork=True)),
        ("summary comment, a pull request on request", sticky.sticky(v.SHA, (on_request,))),
        ("summary comment, many fixes", _last_lines(sticky.sticky(v.SHA, (v.APPLIED,) * MANY), 8)),
        ("a patch that is too long", sticky.patch(v.FIXED.id, "x" * 20_001)),
        ("a patch that is too long, on a fork", sticky.patch(v.FIXED.id, "x" * 20_001, can_apply=False)),
        ("a patch in git's binary form", sticky.patch(v.FIXED.id, f"{v.PATCH}{sticky.BINARY}\n")),
        ("proof by CI", parts.evidence(by_ci, v.KNOWN)),
        ("proof, of an error that is not known any more", parts.evidence(v.OTHERS_LEFT, {})),
        ("a fix without a stored proof", parts.evidence(unproven, v.KNOWN)),
        ("what a fix of an unknown error fixes", parts.what_broke(v.FIXED, {})),
        ("an error without a file", parts.place(v.ERROR.model_copy(update={"file": None}))),
        ("title of a revert of several", fixup.rollback_title((v.APPLIED, v.APPLIED_TOO))),
        ("body of a revert of several", fixup.rollback_body((v.APPLIED, v.APPLIED_TOO), "ada", "heal/rollback/2")),
        ("first line of a tool's commit", parts.headline(v.OTHER)),
        ("many quiet fixes", _last_lines(muting.quiet_list((v.QUIET,) * MANY).removesuffix("</details>").rstrip(), 1)),
    ]


def _answers() -> list[tuple[str, str]]:
    conflicts = (
        None,
        *(EditConflict(file="calc.py", kind=kind, lines=(), was="", now="")
          for kind in ("file-gone", "file-exists", "file-changed", "not-at-edge", "text-gone")),
        EditConflict(file="calc.py", kind="text-repeated", lines=(4, 19), was="", now=""),
    )  # fmt: skip
    call = v.CAUSE.model_copy(update={"message": "Undefined name `cmath`", "error_ids": ("S2", "S6")})
    two_causes = v.GROUP.model_copy(update={"causes": (v.CAUSE, call)})
    grouped = v.GROUPED.model_copy(update={"clusters": (two_causes,)})
    stored_before = v.OUTCOME.model_copy(update={"reporting_jobs": {}, "resolutions": ()})
    waiting = v.RUN.model_copy(update={"outcome": None, "run_id": None, "state": "gathering", "attempt": 2})
    kinds = ("flaky", "fixer:missing_import", "autofix:ruff", "cascade:free", "new-kind")
    explained = [explaining.explained("E2", _ends(how), None) for how in kinds]
    return [
        ("why a change no longer fits", "\n".join(f"- {edit_conflicts.what_changed(one)}" for one in conflicts)),
        ("/heal list, many", _last_lines(answers.proposal_list((v.OFFERED,) * 130))),
        ("/heal unfixable, nothing is left", answers.unfixables((), None)),
        ("/heal status, no run", answers.status((), ())),
        ("/heal status, a run that waits", answers.status((waiting,), ())),
        ("/heal cost, nothing yet", answers.costs(())),
        ("/heal show, of an applied fix", answers.shown_proposal(v.APPLIED, v.KNOWN, v.PATCH)),
        ("/heal show, of a reverted fix", answers.shown_proposal(v.REVERTED, v.KNOWN, v.PATCH)),
        ("no fix to choose from", answers.which("rollback", ())),
        ("/heal explain, how errors ended", "\n\n".join(text.splitlines()[2] for text in explained)),
        ("/heal explain, of an old run", explaining.explained("E1", stored_before, None)),
        ("/heal explain, a group with several causes", explaining.explained(v.GROUP.id, grouped, None)),
        ("/heal rollback, several that are not there",
         rollback_answers.not_applied((v.FIXED.id, v.OTHER.id))),
        ("/heal rollback, a conflict without others",
         rollback_answers.conflict(v.FIXED.id, v.RENAMED, v.REVERSE)),
    ]  # fmt: skip


def _chat() -> list[tuple[str, str]]:
    nowhere = v.ERROR.model_copy(update={"file": None})
    others = (v.TEST_ERROR, v.UNUSED, v.LONG_LINE, v.UNSORTED, v.UNKNOWN, v.ERROR)
    errors = chat.ErrorsByNeed((nowhere, nowhere, *others), ())
    commit = (v.SHA[:7], f"https://github.com/ada/calc/commit/{v.SHA}")
    found = chat.details(f"https://heal.example.com/runs/ada/calc/{v.SHA}/1")
    text = chat.red_branch("ada/calc", "main", commit, "No fix found for 8 errors", errors, (found,))
    return [("chat, many errors", f"```text\n{text}\n```")]
