"""`/heal retry`: a further attempt, with a hint for the agents if there is one."""

from typing import Literal

from handlers.events import Said
from handlers.ports import World
from handlers.slash.start import look_again

SYNTAX = "/heal retry [how: hint]"
PERMISSION: Literal["anyone", "write"] = "write"
HELP = "Tries again; a hint steers the agents."


async def run(said: Said, args: tuple[str, ...], world: World) -> str:
    """Opens the next attempt. Thin: an id before the hint is taken as part of it."""
    return await look_again(said, " ".join(args).removeprefix("how:").strip(), world)
