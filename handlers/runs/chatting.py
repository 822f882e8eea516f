"""A default branch is red, and its run has ended: the operator's chat is notified, where there is one."""

from handlers.comments import chat, summary
from handlers.model import ChatMessage, ChatOutcome, Context, Run
from handlers.runs.asking import ELSEWHERE
from healing.model import Outcome
from healing.pipeline.endings import fixed_ids

NEEDS_NOBODY = ("flaky", "preexisting", "superseded")


async def tell_chat(context: Context, run: Run, outcome: Outcome) -> None:
    """One message for each commit and way of ending; none where all that failed was chance."""
    errors = _sorted(outcome)
    if outcome.errors and not any(errors):
        return
    failures = await context.store.failures(run.sha, run.attempt)
    if not outcome.errors and all(row.get(ELSEWHERE) for row in failures):
        return  # no check failed here: it is a pull request's that was tried here, and passed or could not be run
    ids = {proposal.id for proposal in outcome.proposals}
    stored = [one for one in await context.store.proposals(0) if one.proposal.id in ids and one.status == "offered"]
    pulls = sorted({one.fixup_number for one in stored if one.fixup_number is not None})
    ends: ChatOutcome = "fix" if pulls and not errors.left else "needs-you"
    to = context.addresses
    links = [chat.pull_request(ends, to.pull(number), number) for number in pulls]
    found = to.run(run.sha, run.attempt)
    text = chat.red_branch(
        run.full_name,
        run.branch or "",
        (run.sha[:7], to.commit(run.sha)),
        summary.summary_title(outcome, len(stored)),
        errors,
        (*links, *([chat.details(found)] if found else [])),
    )
    await context.chat.post(ChatMessage(sha=run.sha, outcome=ends, text=text))


def _sorted(outcome: Outcome) -> chat.ErrorsByNeed:
    gone = fixed_ids(outcome)
    how = {resolution.error_id: resolution.how for resolution in outcome.resolutions}
    left = tuple(one for one in outcome.errors if one.id not in gone and how.get(one.id) not in NEEDS_NOBODY)
    return chat.ErrorsByNeed(left, tuple(one for one in outcome.errors if one.id in gone))
