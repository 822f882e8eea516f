"""The queue: which runs wait or are at work, whether webhooks pile up, and whether a worker lives."""

from starlette.responses import Response

from bot.store.backlog import backlog
from bot.store.beats import REDELIVERY, WORKER, longest_silence
from bot.web.dashboard.visits import Visit

NAMES = {WORKER: "Worker", REDELIVERY: "Search for webhooks that never arrived"}


async def show(visit: Visit) -> Response:
    found = await backlog(visit.desk.database, visit.repos)
    now = visit.desk.now()
    runs = [visit.named(run) for run in found.runs]
    silences = {part: max(0.0, now - at) for part, at in found.beaten_at.items()}
    return visit.render(
        "queue.html",
        section="queue",
        runs=runs,
        backlog=found,
        silences=silences,
        alive={part: silent <= longest_silence(part) for part, silent in silences.items()},
        names=NAMES,
        now=now,
    )
