"""Somebody commented on a pull request: when it is a command, 👀 at once and an answer always."""

from handlers.comments import answers, marks, refusals
from handlers.delivery.sticky_note import refresh
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.model import Context, Refused
from handlers.model.refusal import is_final, refusal_of
from handlers.slash import BY_WORD, FOR_ANYONE, HELP, WORDS, SlashCommand
from handlers.slash.reading.commands import Command, parse_command
from handlers.slash.reading.guessing import nearest

MOST_QUESTIONS = 10
HOUR = 3600.0


async def handle(comment: CommentCreated, context: Context) -> None:
    """Does what the comment's command asks, and answers in place. Comments without a command are not for Heal."""
    command = parse_command(comment.body)
    if command is None:
        return
    if await _seen(comment, context):
        await carry_out(command, comment, context)


async def carry_out(command: Command, comment: CommentCreated, context: Context, opening: str = "") -> None:
    """Does what is asked, and answers; `opening` comes before the answer."""
    text = await _obey(command, comment, context)
    if text is not None:
        await answer(comment, opening + text, context)
    slash = BY_WORD.get(command.word)
    pull = await context.github.pull(comment.number) if slash is not None and slash.PERMISSION == "write" else None
    if pull is not None:
        await refresh(context, pull)


async def _seen(comment: CommentCreated, context: Context) -> bool:
    """👀. Not where the comment is gone: who takes a command back doesn't want it obeyed."""
    try:
        await context.publisher.react(comment.comment_id, comment.where, "eyes", comment.node_id)
    except Refused as error:
        if not is_final(error):
            raise
        # Not found is also GitHub's answer where the App lacks a permission.
        return error.status not in (404, 410) or await _is_there(comment, context)
    return True


async def _is_there(comment: CommentCreated, context: Context) -> bool:
    read = context.github.comments if comment.where == "issue" else context.github.review_comments
    return any(one.id == comment.comment_id for one in await read(comment.number))


async def answer(comment: CommentCreated, text: str, context: Context) -> None:
    """Posts the answer under the command: in its review thread, or in the conversation. What was asked is done also
    where nobody may comment any more."""
    marker = marks.of_answer(f"{comment.where}-{comment.comment_id}")
    thread = (comment.in_reply_to or comment.comment_id) if comment.where == "review" else None
    try:
        async with context.pull_lock(comment.number):
            await context.publisher.answer(comment.number, marker, f"{text}\n\n{marker}", thread)
    except Refused as error:
        if not is_final(error):
            raise


async def _obey(command: Command, comment: CommentCreated, context: Context) -> str | None:
    """The answer; None where none is due. What needs no permission, refusals too, is answered so often and no more:
    strangers must not make Heal flood a page."""
    slash = BY_WORD.get(command.word)
    allowed = slash is not None and slash.PERMISSION == "write" and await may(slash, comment.sender.login, context)
    if not allowed:
        question = f"{comment.where}-{comment.comment_id}"
        allowance = await context.store.allow(comment.sender.id, question, MOST_QUESTIONS, HOUR)
        if allowance.verdict != "answer":
            return answers.asked_enough(MOST_QUESTIONS, allowance.until) if allowance.verdict == "say" else None
    if slash is None:
        return answers.unknown_command(command.word, nearest(command.word, WORDS), HELP.text())
    if slash.PERMISSION == "write" and not allowed:
        return answers.may_not(command.word, comment.sender.login, FOR_ANYONE)
    return await obey(slash, command.args, comment, context)


async def obey(slash: SlashCommand, args: tuple[str, ...], comment: CommentCreated, context: Context) -> str:
    """Does what a command asks and gives its answer, also where that is that it can't be done."""
    try:
        return await slash.run(comment, args, context)
    except UserError as error:
        return str(error)
    except Refused as error:
        if not is_final(error):
            raise
        return refusals.command_refused(refusal_of(error))


async def may(slash: SlashCommand, login: str, context: Context) -> bool:
    """Asked of GitHub now, never guessed from association."""
    return slash.PERMISSION == "anyone" or await context.github.permission(login) in ("admin", "write")
