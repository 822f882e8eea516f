"""Which kinds of fixes are offered quietly or not at all in a repository, because people turned them down."""

from dataclasses import dataclass

from bot.store.database import Database
from bot.store.kinds import tallies_of
from handlers.comments.muting import why
from handlers.delivery.muting import loudness
from handlers.ports import Tally

MOST = 50
ORDER = {"silent": 0, "quiet": 1, "loud": 2}


@dataclass(frozen=True)
class Kind:
    """A kind that people decided on; `why` is empty where it is offered as always."""

    tally: Tally
    loudness: str
    why: str


async def muted(database: Database, now: float, repo: int) -> tuple[Kind, ...]:
    """The quietest first. `now` is Unix time in seconds."""
    kinds = []
    for tally in await tallies_of(database, now, repo):
        loud = loudness(tally)
        kinds.append(Kind(tally, loud, "" if loud == "loud" else why(tally)))
    kinds.sort(key=lambda one: (ORDER[one.loudness], -(one.tally.accepted + one.tally.rejected), one.tally.kind))
    return tuple(kinds[:MOST])
