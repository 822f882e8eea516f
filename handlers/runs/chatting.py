"""Notifies the operator's chat, if configured, when the run of a red default branch has ended."""

from handlers.comments import chat, summary
from handlers.model import ChatMessage, ChatOutcome, Context, Run
from handlers.runs.asking import ELSEWHERE
from healing.model import Outcome
from healing.pipeline.endings import fixed_ids

NEEDS_NOBODY = ("flaky", "preexisting", "superseded")


async def post_to_chat(context: Context, run: Run, outcome: Outcome) -> None:
    """Posts one message per commit and outcome; none if all failures were flaky, pre-existing or superseded."""
    errors = _sorted(outcome)
    if outcome.errors and not any(errors):
        return
    failures = await context.store.failures(run.sha, run.attempt)
    if not outcome.errors and all(row.get(ELSEWHERE) for row in failures):
        return  # no check failed here: a pull request's check was tried here, and passed or could not be run
    ids = {proposal.id for proposal in outcome.proposals}
    stored = [item for item in await context.store.proposals(0) if item.proposal.id in ids and item.status == "offered"]
    pulls = sorted({item.fixup_number for item in stored if item.fixup_number is not None})
    ends: ChatOutcome = "fix" if pulls and not errors.left else "needs-you"
    urls = context.addresses
    links = [chat.pull_request(ends, urls.pull(number), number) for number in pulls]
    run_url = urls.run(run.sha, run.attempt)
    text = chat.red_branch(
        run.full_name,
        run.branch or "",
        (run.sha[:7], urls.commit(run.sha)),
        summary.summary_title(outcome, len(stored)),
        errors,
        (*links, *([chat.details(run_url)] if run_url else [])),
    )
    await context.chat.post(ChatMessage(sha=run.sha, outcome=ends, text=text))


def _sorted(outcome: Outcome) -> chat.ErrorsByNeed:
    fixed = fixed_ids(outcome)
    how = {resolution.error_id: resolution.how for resolution in outcome.resolutions}
    left = tuple(error for error in outcome.errors if error.id not in fixed and how.get(error.id) not in NEEDS_NOBODY)
    return chat.ErrorsByNeed(left, tuple(error for error in outcome.errors if error.id in fixed))
