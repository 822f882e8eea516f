"""The words by which searches find a run: its errors' messages, rules, files and tests, and its branch."""

from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Column, ColumnElement, Float, Index, Integer, String, Table, Text, and_

from bot.store.tables import metadata

if TYPE_CHECKING:
    from handlers.model import Run
    from healing.model import CIError

MAX_CHARACTERS = 8000  # per run: a log with thousands of errors must not make every search slow
MAX_WORDS = 6  # per search

run_words = Table(
    "run_words",
    metadata,
    Column("repo_id", BigInteger, primary_key=True, autoincrement=False),
    Column("sha", String(64), primary_key=True),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("words", Text, nullable=False),
    Column("noted_at", Float, nullable=False),
    Index("run_words_by_time", "noted_at"),
)


def words_of(run: "Run") -> str:
    """Returns the run's distinct search lines in lower case, cut to MAX_CHARACTERS."""
    errors = run.outcome.errors if run.outcome is not None else ()
    lines = dict.fromkeys([run.branch or "", *(line for error in errors for line in _lines(error))])
    return stored("\n".join(line for line in lines if line), MAX_CHARACTERS).lower()


def _lines(error: "CIError") -> tuple[str, ...]:
    return (f"{error.tool} {error.code or ''}".strip(), error.message[:300], error.file or "", error.test or "")


def stored(text: str, most: int) -> str:
    """Returns the text, cut to `most` characters and without what PostgreSQL accepts in no text: NUL and lone
    surrogates."""
    return text[:most].encode("utf-8", "replace").decode().replace("\0", "�")


def contains(column: Any, search: str) -> ColumnElement[bool]:
    """Condition that every word of the search occurs somewhere in the column."""
    return and_(*(column.contains(word, autoescape=True) for word in search.lower().split()[:MAX_WORDS]))
