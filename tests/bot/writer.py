"""One of several processes that write to one installation: `python -m tests.bot.writer WHO …`.

It comments on a pull request again and again, and does as it is told where GitHub wants a rest.
"""

import asyncio
import sys
import time

from bot.github.access import Access
from bot.github.comments import Comments
from bot.github.pace import never_refuse
from bot.github.tokens import WRITE
from bot.settings import read_settings
from bot.store.database import Database
from bot.store.paces import StoredWriteLog
from handlers.events import Repo
from handlers.model import Refused


async def comment(comments: Comments, number: int, what: str) -> None:
    while True:
        try:
            await comments.answer(number, f"<!-- {what} -->", what, None)
            return
        except Refused as refusal:
            if refusal.retry_after is None:
                raise
            await asyncio.sleep(refusal.retry_after)


async def main(who: str, installation: int, repo_id: int, number: int, count: int) -> None:
    settings = read_settings()
    database = await Database.open(settings.store_url)
    books = lambda installation_id: StoredWriteLog(database, installation_id, time.time)  # noqa: E731
    access = Access(settings, time.time, asyncio.sleep, never_refuse, lambda *_: None, books, who)
    async with access.transport(installation) as transport:
        repo = Repo(id=repo_id, full_name="octo/demo")
        comments = Comments(access.client(transport, installation, repo, WRITE), "heal[bot]")
        for index in range(count):
            await comment(comments, number, f"{who} {index}")
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *(int(word) for word in sys.argv[2:])))
