"""The queue page: pending and running runs, unprocessed webhooks, and whether a worker is alive."""

from starlette.responses import Response

from bot.store.backlog import backlog
from bot.store.beats import REDELIVERY, WORKER, longest_silence
from bot.web.dashboard.visits import Visit

NAMES = {WORKER: "Worker", REDELIVERY: "Search for webhooks that never arrived"}


async def show(visit: Visit) -> Response:
    current = await backlog(visit.services.database, visit.repos)
    now = visit.services.now()
    runs = [visit.named(run) for run in current.runs]
    silences = {part: max(0.0, now - at) for part, at in current.beaten_at.items()}
    return visit.render(
        "queue.html",
        section="queue",
        runs=runs,
        backlog=current,
        silences=silences,
        alive={part: silent <= longest_silence(part) for part, silent in silences.items()},
        names=NAMES,
        now=now,
    )
