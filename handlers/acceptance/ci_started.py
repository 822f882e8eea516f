"""Comments on a pull request if no CI started on a commit that applied or reverted a fix."""

from handlers.comments import ci_started as texts
from handlers.comments import marks
from handlers.delivery.quiet import is_posting_suspended
from handlers.model import CIWait, Context
from handlers.model.refusal import suppress_refusal


async def judge(context: Context, wait: CIWait) -> None:
    """Comments if the commit is still the head and no CI started on it. Called when CI should have started.
    Idempotent."""
    if await _is_still_head(context, wait) and await context.github.ci_state(wait.sha, context.slug) == "none":
        marker = marks.of_ci_wait(wait.sha)
        text = f"{texts.not_started(wait.sha)}\n\n{marker}"
        with suppress_refusal():
            async with context.pull_lock(wait.number):
                await context.publisher.answer(wait.number, marker, text, None)
    await context.store.forget_ci_wait(wait)


async def _is_still_head(context: Context, wait: CIWait) -> bool:
    if await is_posting_suspended(context.store, wait.number):
        return False
    pull = await context.github.pull(wait.number)
    return pull is not None and pull.state == "open" and pull.head_sha == wait.sha
