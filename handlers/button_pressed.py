"""Handles buttons of Heal's check run, each of which stands for a command."""

from handlers import comment_created
from handlers.acceptance.regressions import suspects
from handlers.events import ButtonPressed, CommentCreated
from handlers.model import Context
from handlers.runs import reruns
from handlers.runs.asking import attempts, request_attempt
from handlers.runs.report import report_again
from handlers.slash import SlashCommand, apply, rollback
from healing.steps import Json


async def handle(event: ButtonPressed, context: Context) -> None:
    """Executes the button's command. GitHub shows buttons only to people with write access, but the permission is
    checked again. Bots are ignored."""
    if event.sender.is_bot or await context.github.permission(event.sender.login) not in ("admin", "write"):
        return
    if event.identifier == "retry":
        await request_attempt(context, event.installation_id, event.sha, "button", by=event.sender.login)
    elif event.identifier == "apply-all":
        await _apply_all(event, context)
    elif event.identifier == "rollback":
        await _roll_back(event, context)
    elif event.identifier == "rerun-failed":
        await _rerun(event, context)


async def _rerun(event: ButtonPressed, context: Context) -> None:
    """Re-runs failed jobs and updates the check run; posts no comment."""
    notes = await reruns.rerun_retryable(context, event.sha)
    number = next((run.number for run in await attempts(context.store, event.sha) if run.number), 0)
    async with context.work_lock(number or 0):
        await report_again(context, event.sha, notes)


async def _apply_all(event: ButtonPressed, context: Context) -> None:
    await _say(event, context, apply, ("all",))


async def _roll_back(event: ButtonPressed, context: Context) -> None:
    """Reverts the fixes that the commit's new errors point at. They are chosen in a durable step, so that a restart
    reverts no others."""

    async def choose() -> Json:
        last = (await attempts(context.store, event.sha))[-1:]
        pull = await context.github.pull(last[0].number or 0) if last else None
        if pull is None or last[0].outcome is None:
            return []
        return [suspect.item.proposal.id for suspect in await suspects(context, last[0], pull, last[0].outcome)]

    ids = await context.steps.run("suspects", event.sha, choose)
    if ids:
        await _say(event, context, rollback, tuple(ids))


async def _say(event: ButtonPressed, context: Context, command: SlashCommand, args: tuple[str, ...]) -> None:
    """Executes the command as if the user had written it, and answers with a comment on the pull request."""
    number = await _number(event, context)
    if number is None:
        return
    comment = CommentCreated(
        installation_id=event.installation_id,
        repo=event.repo,
        sender=event.sender,
        number=number,
        comment_id=event.check_run_id,
        where="issue",
        body="",
    )
    await comment_created.answer(comment, await comment_created.run_command(command, args, comment, context), context)


async def _number(event: ButtonPressed, context: Context) -> int | None:
    """Returns the pull request whose head has this check run, or whose head this button's commit has moved already,
    before a crash."""
    for pull in await context.github.pulls_of(event.sha, None, None):
        if pull.head_sha == event.sha:
            return pull.number
    for number in {run.number for run in await attempts(context.store, event.sha) if run.number}:
        moved = await context.github.pull(number)
        message = await context.github.commit_message(moved.head_sha) if moved else None
        if any(line.endswith(f"-{event.check_run_id}") for line in (message or "").splitlines()):
            return number
    return None
