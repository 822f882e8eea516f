"""Somebody commented on a pull request: when it is a command, 👀 at once and an answer always (SC-2, SC-3)."""

from handlers.comments import answers, marks, refusals
from handlers.delivery.refusal import is_final, refusal_of
from handlers.errors import UserError
from handlers.events import CommentCreated
from handlers.ports import Refused, World
from handlers.runs.sticky_note import refresh
from handlers.slash import BY_WORD, WORDS, SlashCommand
from handlers.slash.help import text as help_text
from handlers.slash.reading.commands import Command, nearest, parse_command

MOST_QUESTIONS = 10
HOUR = 3600.0


async def handle(comment: CommentCreated, world: World) -> None:
    """Does what the comment's command asks, and answers in place. Comments without a command are not for Heal."""
    command = parse_command(comment.body)
    if command is None:
        return
    if await _seen(comment, world):
        await carry_out(command, comment, world)


async def carry_out(command: Command, comment: CommentCreated, world: World, opening: str = "") -> None:
    """Does what is asked, and answers; `opening` comes before the answer."""
    text = await _obey(command, comment, world)
    if text is not None:
        await answer(comment, opening + text, world)
    slash = BY_WORD.get(command.word)
    pull = await world.github.pull(comment.number) if slash is not None and slash.PERMISSION == "write" else None
    if pull is not None:
        await refresh(world, pull)


async def _seen(comment: CommentCreated, world: World) -> bool:
    """👀. Not where the comment is gone: who takes a command back doesn't want it obeyed."""
    try:
        await world.publisher.react(comment.comment_id, comment.where, "eyes", comment.node_id)
    except Refused as error:
        if not is_final(error):
            raise
        # Not found is also GitHub's answer where the App lacks a permission.
        return error.status not in (404, 410) or await _is_there(comment, world)
    return True


async def _is_there(comment: CommentCreated, world: World) -> bool:
    read = world.github.comments if comment.where == "issue" else world.github.review_comments
    return any(one.id == comment.comment_id for one in await read(comment.number))


async def apologise(comment: CommentCreated, reference: str, world: World) -> None:
    """The one answer to an error of ours (law 6), for whoever catches it; `reference` is what the log knows it by."""
    if parse_command(comment.body) is not None:
        await answer(comment, answers.apology(reference), world)


async def answer(comment: CommentCreated, text: str, world: World) -> None:
    """Posts the answer under the command: in its review thread, or in the conversation. What was asked is done also
    where nobody may comment any more."""
    marker = marks.of_answer(f"{comment.where}-{comment.comment_id}")
    thread = (comment.in_reply_to or comment.comment_id) if comment.where == "review" else None
    try:
        async with world.pull_lock(comment.number):
            await world.publisher.answer(comment.number, marker, f"{text}\n\n{marker}", thread)
    except Refused as error:
        if not is_final(error):
            raise


async def _obey(command: Command, comment: CommentCreated, world: World) -> str | None:
    """The answer; None where none is due. What needs no permission, refusals too, is answered so often and no more:
    strangers must not make Heal flood a page (SC-3)."""
    slash = BY_WORD.get(command.word)
    allowed = slash is not None and slash.PERMISSION == "write" and await may(slash, comment.sender.login, world)
    if not allowed:
        question = f"{comment.where}-{comment.comment_id}"
        allowance = await world.store.allow(comment.sender.id, question, MOST_QUESTIONS, HOUR)
        if allowance.verdict != "answer":
            return answers.asked_enough(MOST_QUESTIONS, allowance.until) if allowance.verdict == "say" else None
    if slash is None:
        return answers.unknown_command(command.word, nearest(command.word, WORDS), help_text())
    if slash.PERMISSION == "write" and not allowed:
        return answers.may_not(command.word, comment.sender.login)
    return await obey(slash, command.args, comment, world)


async def obey(slash: SlashCommand, args: tuple[str, ...], comment: CommentCreated, world: World) -> str:
    """Does what a command asks and gives its answer, also where that is that it can't be done."""
    try:
        return await slash.run(comment, args, world)
    except UserError as error:
        return str(error)
    except Refused as error:
        if not is_final(error):
            raise
        return refusals.command_refused(refusal_of(error))


async def may(slash: SlashCommand, login: str, world: World) -> bool:
    """Asked of GitHub now, never guessed from association (SC-3)."""
    return slash.PERMISSION == "anyone" or await world.github.permission(login) in ("admin", "write")
