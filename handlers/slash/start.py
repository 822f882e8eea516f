"""`/heal`: runs Heal now, even where it would not start by itself (a draft, a fork)."""

from typing import Literal

from handlers.comments import answers, pauses, starting
from handlers.comments.hints import hint
from handlers.comments.parts import short
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import Context, Pull
from handlers.runs.asking import Kind, request_attempt
from handlers.slash.reading.ids import ResolvedId

SYNTAX = "/heal"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Runs Heal now, even on a draft or a pull request from a fork."


async def run(comment: CommentCreated, _args: tuple[str, ...], context: Context) -> str:
    """Starts an attempt at the pull request's head."""
    return await start_attempt(comment, "", context)


async def start_attempt(
    comment: CommentCreated, how: str, context: Context, target: ResolvedId | None = None, kind: Kind = ""
) -> str:
    """Starts an attempt with the person's hint `how`, about `target` or everything. Returns the answer, also if a run
    is in progress already or no check has failed. The head is a durable step, so that it stays the same after a crash.
    Raises UserError if Heal is paused."""
    by = await context.store.paused_by(comment.number)
    if by is not None:
        raise UserError(pauses.not_started(by))

    async def head_now() -> str:
        return (await open_pull(comment, context)).head_sha

    sha = str(await context.steps.run("head", comment.number, head_now))
    request_id = f"said:{comment.where}:{comment.comment_id}"
    by, steering = comment.sender.login, hint(target.errors if target else (), how)
    answer = await request_attempt(context, comment.installation_id, sha, request_id, by, steering, kind, comment.where)
    if answer == "nothing-red":
        return answers.nothing_red(sha)
    if answer == "at-work":
        return answers.at_work(sha)
    if kind:
        return starting.started_dry(sha) if kind == "dry" else starting.started_snapshots(sha)
    return starting.started(sha, how, short(target.id) if target else "")


async def open_pull(comment: CommentCreated, context: Context) -> Pull:
    """The pull request as it is now. Raises UserError if it can't be read or is closed."""
    pull = await context.github.pull(comment.number)
    if pull is None:
        raise UserError(answers.no_pull(comment.number))
    if pull.state == "closed":
        raise UserError(answers.closed(comment.number))
    return pull
