"""The outbox of the operator's chat: a row per message, so that none is lost and each is sent once."""

from collections.abc import Callable

from sqlalchemy import BigInteger, Column, ColumnElement, Float, Index, Integer, String, Table, Text, select, update

from bot.store.database import Database, insert_new
from bot.store.tables import metadata
from handlers.model import ChatMessage
from healing.model import Frozen

chat_messages = Table(
    "chat_messages",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("sha", String(64), primary_key=True),
    Column("outcome", String(12), primary_key=True),
    Column("text", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due", Float),  # None: sent, or given up
    Column("made_at", Float, nullable=False),
    Index("chat_messages_due", "due"),
)


class StoredChat:
    """`handlers.model.chat.Chat` of one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def post(self, message: ChatMessage) -> None:
        """See `handlers.model.Chat`."""
        now = self._now()
        row = {**message.model_dump(), "repo_id": self._repo_id, "tries": 0, "due": now, "made_at": now}
        async with self._db.write() as connection:
            await connection.execute(insert_new(connection, chat_messages, row))


class NoChat:
    """`handlers.model.chat.Chat` where the operator configured no chat."""

    async def post(self, message: ChatMessage) -> None:
        """Does nothing."""


class DueMessage(Frozen):
    """A message to send now."""

    repo_id: int
    message: ChatMessage
    tries: int
    due: float
    made_at: float


async def due_messages(database: Database, now: float, most: int) -> tuple[DueMessage, ...]:
    """Returns at most `most` due messages of all repositories, oldest first."""
    query = select(chat_messages).where(chat_messages.c.due <= now).order_by(chat_messages.c.made_at).limit(most)
    async with database.read() as connection:
        rows = (await connection.execute(query)).mappings().all()
    return tuple(
        DueMessage(
            repo_id=row["repo_id"],
            message=ChatMessage(sha=row["sha"], outcome=row["outcome"], text=row["text"]),
            tries=row["tries"],
            due=row["due"],
            made_at=row["made_at"],
        )
        for row in rows
    )


async def claim(database: Database, message: DueMessage, again: float) -> bool:
    """Claims the message for sending; returns whether the claim succeeded. A claimed message is due again at `again`
    unless `settle` is called, so only one of several workers sends it, and it is retried if that worker dies."""
    mine = _same(message) & (chat_messages.c.due == message.due)
    async with database.write() as connection:
        claimed = update(chat_messages).where(mine).values(due=again, tries=message.tries + 1)
        return (await connection.execute(claimed)).rowcount == 1


async def settle(database: Database, message: DueMessage, due: float | None = None) -> None:
    """Marks the message as sent or given up (`due` None), or schedules the next attempt at `due`."""
    async with database.write() as connection:
        await connection.execute(update(chat_messages).where(_same(message)).values(due=due))


def _same(message: DueMessage) -> ColumnElement[bool]:
    key = chat_messages.c.sha == message.message.sha
    return key & (chat_messages.c.repo_id == message.repo_id) & (chat_messages.c.outcome == message.message.outcome)
