"""Handles comments on pull requests: a command gets 👀 at once and always an answer."""

from handlers.comments import answers, marks, refusals
from handlers.delivery.sticky_note import refresh
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import Context, Refused
from handlers.model.refusal import is_final, refusal_of
from handlers.slash import BY_WORD, FOR_ANYONE, HELP, WORDS, SlashCommand
from handlers.slash.reading.commands import Command, parse_command
from handlers.slash.reading.guessing import nearest

MAX_QUESTIONS = 10
HOUR = 3600.0


async def handle(comment: CommentCreated, context: Context) -> None:
    """Executes the comment's command and answers in place. Comments without a command are ignored."""
    command = parse_command(comment.body)
    if command is None:
        return
    if await _seen(comment, context):
        await execute_command(command, comment, context)


async def execute_command(command: Command, comment: CommentCreated, context: Context, opening: str = "") -> None:
    """Executes the command and answers; `opening` comes before the answer."""
    text = await _run_permitted(command, comment, context)
    if text is not None:
        await answer(comment, opening + text, context)
    slash = BY_WORD.get(command.word)
    pull = await context.github.pull(comment.number) if slash is not None and slash.PERMISSION == "write" else None
    if pull is not None:
        await refresh(context, pull, comment.repo.full_name)


async def _seen(comment: CommentCreated, context: Context) -> bool:
    """Reacts with 👀. Returns False if the comment was deleted, so that a withdrawn command is not executed."""
    try:
        await context.publisher.react(comment.comment_id, comment.where, "eyes", comment.node_id)
    except Refused as error:
        if not is_final(error):
            raise
        # GitHub also responds with 404 if the App lacks a permission.
        return error.status not in (404, 410) or await _is_there(comment, context)
    return True


async def _is_there(comment: CommentCreated, context: Context) -> bool:
    read = context.github.comments if comment.where == "issue" else context.github.review_comments
    return any(other.id == comment.comment_id for other in await read(comment.number))


async def answer(comment: CommentCreated, text: str, context: Context) -> None:
    """Posts the answer to the command: in its review thread, or on the pull request. If GitHub refuses comments there,
    the answer is dropped."""
    marker = marks.of_answer(f"{comment.where}-{comment.comment_id}")
    thread = (comment.in_reply_to or comment.comment_id) if comment.where == "review" else None
    try:
        async with context.pull_lock(comment.number):
            await context.publisher.answer(comment.number, marker, f"{text}\n\n{marker}", thread)
    except Refused as error:
        if not is_final(error):
            raise


async def _run_permitted(command: Command, comment: CommentCreated, context: Context) -> str | None:
    """Executes the command and returns the answer, or None if there should be none. People without write access get a
    limited number of answers, so that they can't make Heal flood a page."""
    slash, login = BY_WORD.get(command.word), comment.sender.login
    restricted = slash is not None and slash.PERMISSION == "write"
    refused = restricted and not await may_write(login, context)
    if refused or not restricted:
        question = f"{comment.where}-{comment.comment_id}"
        allowance = await context.store.allow(comment.sender.id, question, MAX_QUESTIONS, HOUR)
        if allowance.verdict != "answer" and (refused or not await may_write(login, context)):
            return answers.asked_enough(MAX_QUESTIONS, allowance.until) if allowance.verdict == "say" else None
    if slash is None:
        return answers.unknown_command(command.word, nearest(command.word, WORDS), HELP.text())
    if refused:
        return answers.may_not(command.word, login, FOR_ANYONE)
    return await run_command(slash, command.args, comment, context)


async def run_command(slash: SlashCommand, args: tuple[str, ...], comment: CommentCreated, context: Context) -> str:
    """Executes a command and returns its answer, which is an error message if it can't be done."""
    try:
        return await slash.run(comment, args, context)
    except UserError as error:
        return str(error)
    except Refused as error:
        if not is_final(error):
            raise
        command = " ".join(slash.SYNTAX.split()[:2])  # without its arguments
        return refusals.command_refused(command, refusal_of(error))


async def may_write(login: str, context: Context) -> bool:
    """Whether the user has write access, by their current permission on GitHub, not by `author_association`."""
    return await context.github.permission(login) in ("admin", "write")
