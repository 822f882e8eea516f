"""Somebody commented on a pull request: when it is a command, 👀 at once and an answer always (SC-2, SC-3)."""

from handlers.comments import answers, marks
from handlers.errors import UserError
from handlers.events import Said
from handlers.fixups import life
from handlers.ports import Refused, World
from handlers.runs.sticky_note import refresh
from handlers.slash import BY_WORD, WORDS, SlashCommand
from handlers.slash.help import text as help_text
from handlers.slash.reading.commands import Command, nearest, parse_command

MOST_QUESTIONS = 10
HOUR = 3600.0


async def handle(said: Said, world: World) -> None:
    """Does what the comment's command asks, and answers in place. Comments without a command are not for Heal."""
    command = parse_command(said.body)
    if command is None:
        return
    if not await _seen(said, world):
        return
    text = await _obey(command, said, world)
    if text is not None:
        await answer(said, text, world)
    slash = BY_WORD.get(command.word)
    pull = await world.github.pull(said.number) if slash is not None and slash.PERMISSION == "write" else None
    if pull is not None:
        await refresh(world, pull)


async def _seen(said: Said, world: World) -> bool:
    """👀. Not where the comment is gone: who takes a command back doesn't want it obeyed."""
    try:
        await world.publisher.react(said.comment_id, said.where, "eyes", said.node_id)
    except Refused as error:
        if error.status != 404 and not life.refuses(error):
            raise
        return error.status != 404
    return True


async def apologise(said: Said, reference: str, world: World) -> None:
    """The one answer to an error of ours (law 6), for whoever catches it; `reference` is what the log knows it by."""
    if parse_command(said.body) is not None:
        await answer(said, answers.apology(reference), world)


async def answer(said: Said, text: str, world: World) -> None:
    """Posts the answer under the command: in its review thread, or in the conversation. What was asked is done also
    where nobody may comment any more."""
    marker = marks.of_answer(f"{said.where}-{said.comment_id}")
    thread = (said.in_reply_to or said.comment_id) if said.where == "review" else None
    try:
        async with world.pull_lock(said.number):
            await world.publisher.answer(said.number, marker, f"{text}\n\n{marker}", thread)
    except Refused as error:
        if not life.refuses(error):
            raise


async def _obey(command: Command, said: Said, world: World) -> str | None:
    """The answer; None where none is due. What needs no permission, refusals too, is answered so often and no more:
    strangers must not make Heal flood a page (SC-3)."""
    slash = BY_WORD.get(command.word)
    allowed = slash is not None and slash.PERMISSION == "write" and await may(slash, said.sender.login, world)
    if not allowed:
        question = f"{said.where}-{said.comment_id}"
        allowance = await world.store.allow(said.sender.id, question, MOST_QUESTIONS, HOUR)
        if allowance.verdict != "answer":
            return answers.asked_enough(MOST_QUESTIONS, allowance.until) if allowance.verdict == "say" else None
    if slash is None:
        return answers.unknown_command(command.word, nearest(command.word, WORDS), help_text())
    if slash.PERMISSION == "write" and not allowed:
        return answers.may_not(command.word, said.sender.login)
    try:
        return await slash.run(said, command.args, world)
    except UserError as error:
        return str(error)


async def may(slash: SlashCommand, login: str, world: World) -> bool:
    """Asked of GitHub now, never guessed from association (SC-3)."""
    return slash.PERMISSION == "anyone" or await world.github.permission(login) in ("admin", "write")
