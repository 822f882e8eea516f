"""Whether CI started on a head that a fix came to, or was reverted on: if it didn't, somebody has to know."""

from handlers.comments import ci_started as texts
from handlers.comments import marks
from handlers.delivery.quiet import is_posting_suspended
from handlers.model import CIWait, Context
from handlers.model.refusal import suppress_refusal


async def judge(context: Context, wait: CIWait) -> None:
    """To be called once CI should have started: comments where nothing did on what is still the head. Idempotent."""
    if await _should_have_started(context, wait) and await context.github.ci_state(wait.sha, context.slug) == "none":
        marker = marks.of_ci_wait(wait.sha)
        text = f"{texts.not_started(wait.sha)}\n\n{marker}"
        with suppress_refusal():
            async with context.pull_lock(wait.number):
                await context.publisher.answer(wait.number, marker, text, None)
    await context.store.forget_ci_wait(wait)


async def _should_have_started(context: Context, wait: CIWait) -> bool:
    if await is_posting_suspended(context.store, wait.number):
        return False
    pull = await context.github.pull(wait.number)
    return pull is not None and pull.state == "open" and pull.head_sha == wait.sha
