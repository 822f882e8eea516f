"""Reports errors in `.github/heal.yml` on a pull request that changes it, before it is merged."""

from handlers.comments import marks
from handlers.comments.settings import proposed
from handlers.events import PullChanged
from handlers.model import Context

CONFIG = ".github/heal.yml"
PUSHES = ("opened", "reopened", "synchronize")


async def answer(event: PullChanged, context: Context) -> None:
    """Posts one comment when the file is invalid, and updates it afterwards. Posts nothing if the file was always
    valid, if Heal is paused, and if it only observes."""
    if event.action not in PUSHES or await context.store.observing():
        return
    if await context.store.paused_by(event.number) is not None:
        return
    pull = await context.github.pull(event.number)
    if pull is None or pull.state != "open" or pull.head_sha != event.head_sha:
        return  # a later push sends its own event
    if CONFIG not in {file.path for file in await context.github.changed_files(pull.number)}:
        return
    settings = await context.healer.settings(pull, of_head=True)
    text = proposed(settings, pull.head_sha)
    async with context.pull_lock(pull.number):
        await context.publisher.sticky(pull.number, marks.CONFIG, text, create=bool(settings.problems))
