"""Questions that people asked, with a rate limit per person: the first refusal says when they may ask again."""

from collections.abc import Callable

from sqlalchemy import BigInteger, Column, Float, Index, String, Table, delete, func, select

from bot.store.database import Database, insert_new
from bot.store.tables import metadata
from handlers.model import Allowance

questions = Table(
    "questions",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("question", String(100), primary_key=True),
    Column("person_id", BigInteger, nullable=False),
    Column("verdict", String(10), nullable=False),  # `answer`, or `say`: the one refusal that gets a reply
    Column("until", Float, nullable=False),  # of a refusal: when the person may ask again
    Column("asked_at", Float, nullable=False),
    Index("questions_of_person", "repo_id", "person_id"),
)


class QuestionRows:
    """Questions about one repository. `now` returns Unix time in seconds."""

    def __init__(self, database: Database, repo_id: int, now: Callable[[], float]) -> None:
        self._db = database
        self._repo_id = repo_id
        self._now = now

    async def allow(self, person_id: int, question: str, most: int, seconds: float) -> Allowance:
        """See `handlers.model.Store`. A silent refusal leaves no row, so it can't fill the table or prolong the
        wait."""
        now = self._now()
        mine = (questions.c.repo_id == self._repo_id) & (questions.c.person_id == person_id)
        answered = mine & (questions.c.verdict == "answer")
        earlier = mine & (questions.c.verdict == "say") & (questions.c.until > now)
        row = {"repo_id": self._repo_id, "question": question, "person_id": person_id, "asked_at": now}
        async with self._db.write() as connection:
            known = (
                await connection.execute(select(questions).where(mine & (questions.c.question == question)))
            ).first()
            if known is not None:
                return Allowance(verdict=known.verdict, until=known.until)
            await connection.execute(delete(questions).where(mine & (questions.c.asked_at <= now - seconds)))
            query = select(func.count(), func.min(questions.c.asked_at)).where(answered)
            count, first = (await connection.execute(query)).one()
            if count < most:
                verdict = Allowance(verdict="answer")
            elif (await connection.execute(select(questions.c.question).where(earlier).limit(1))).first():
                return Allowance(verdict="silent", until=first + seconds)
            else:
                verdict = Allowance(verdict="say", until=first + seconds)
            await connection.execute(insert_new(connection, questions, {**row, **verdict.model_dump()}))
        return verdict
