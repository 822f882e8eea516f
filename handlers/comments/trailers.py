"""Trailers of Heal's commits: who asked, which fix, and the generation, which limits how often Heal runs on its own
commits."""

import re

from handlers.events import Person

_GENERATION = re.compile(r"^Heal-Generation: (\d{1,4})$", re.MULTILINE)
_ROLLBACK = re.compile(r"^Heal-Rollback: (.+)$", re.MULTILINE)
_SKIP = re.compile(r"\[(?:skip heal|heal skip)\]", re.IGNORECASE)


def heal_id(key: str) -> str:
    """The line that names one commit of Heal's: the publisher looks for `key` before it commits again."""
    return f"Heal-Id: {key}"


def commit_body(generation: int, key: str = "", by: Person | None = None, rollback: str = "") -> str:
    """The body of a commit: trailers as git knows them, one paragraph. Without `key` the publisher adds its own."""
    trailers = [heal_id(key)] if key else []
    if rollback:
        trailers.append(f"Heal-Rollback: {rollback}")
    trailers.append(f"Heal-Generation: {generation}")
    if by is not None:
        trailers.append(f"Co-authored-by: {by.login} <{by.id}+{by.login}@users.noreply.github.com>")
    return "\n".join(trailers)


def generation_of(message: str | None) -> int:
    """How many commits of Heal's led to this one: 0 for people's."""
    found = _GENERATION.search(message or "")
    return int(found.group(1)) if found else 0


def rolled_back_by(message: str | None) -> tuple[str, ...]:
    """The ids of the fixes that the commit reverted. Heal doesn't run on such a commit, which would bring them back."""
    found = _ROLLBACK.search(message or "")
    return tuple(found.group(1).split()) if found else ()


def asks_to_skip(message: str | None) -> bool:
    """Whether the author wrote `[skip heal]`."""
    return bool(_SKIP.search(message or ""))
