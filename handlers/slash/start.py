"""`/heal`: look at this pull request now, also where Heal would not by itself (a draft, a fork)."""

from typing import Literal

from handlers.asking import ask_again
from handlers.comments import answers
from handlers.errors import UserError
from handlers.events import Said
from handlers.ports import Pull, World

SYNTAX = "/heal"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Starts now, also on a draft or a fork's pull request."


async def run(said: Said, _args: tuple[str, ...], world: World) -> str:
    """Opens the next attempt at the pull request's head."""
    return await look_again(said, "", world)


async def look_again(said: Said, how: str, world: World) -> str:
    """Opens an attempt with a person's hint; says so where one is at work or nothing is red."""
    pull = await open_pull(said, world)
    key = f"said:{said.where}:{said.comment_id}"
    attempt = await ask_again(world, said.installation_id, pull.head_sha, key, by=said.sender.login, how=how)
    if attempt is None:
        return answers.nothing_red(pull.head_sha)
    if attempt.state == "running":
        return answers.at_work(pull.head_sha)
    return answers.started(pull.head_sha, how)


async def open_pull(said: Said, world: World) -> Pull:
    """The pull request as it is now. Raises UserError where it is gone or closed."""
    pull = await world.github.pull(said.number)
    if pull is None:
        raise UserError(answers.no_pull(said.number))
    if pull.state == "closed":
        raise UserError(answers.closed(said.number))
    return pull
