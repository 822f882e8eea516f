"""What an id in a command names: an error, a fix, a report or a cluster of the pull request."""

import re
from collections.abc import Iterator

from handlers.comments import answers
from handlers.errors import UserError
from handlers.model import Context
from handlers.slash.reading.choice import MIN_LENGTH
from handlers.slash.reading.near import near_ids
from healing.model import CIError, Frozen, Outcome

_LIKE_AN_ID = re.compile(r"(?=[^0-9]{0,64}[0-9])[eu]?[0-9a-f]{6,64}", re.IGNORECASE)  # a word of hex letters is a word


class ResolvedId(Frozen):
    """`id` in full, and the errors that it is about."""

    id: str
    errors: tuple[CIError, ...]


async def resolve_id(context: Context, number: int, word: str, hints: bool = True) -> ResolvedId | None:
    """What a word names, by any unique prefix; None where it is just a word. Raises UserError where it is the prefix of
    several ids, or looks like an id and is none; `hints`: for a command that takes a hint, too."""
    prefix = word.strip("`,;:").lower()
    outcomes = [run.outcome for run in await context.store.runs(number) if run.outcome is not None]
    named: dict[str, tuple[CIError, ...]] = {}
    for outcome in outcomes:  # newest first: an id that came back means what it means now
        for id_, errors in _names(outcome):
            named.setdefault(id_, errors)
    found = [id_ for id_ in named if id_.lower() == prefix]
    if not found and len(prefix) >= MIN_LENGTH:
        found = [id_ for id_ in named if id_.lower().startswith(prefix)]
    if len(found) > 1:
        raise UserError(answers.ambiguous(prefix, tuple(found)))
    if found:
        return ResolvedId(id=found[0], errors=named[found[0]])
    if _LIKE_AN_ID.fullmatch(prefix):
        raise UserError(answers.names_nothing(prefix, near_ids(prefix, named), hints))
    return None


def _names(outcome: Outcome) -> Iterator[tuple[str, tuple[CIError, ...]]]:
    by_id = {error.id: error for error in outcome.errors}
    for error in outcome.errors:
        yield error.id, (error,)
    named = [(item.id, item.error_ids) for item in outcome.proposals]
    named += [(item.id, item.error_ids) for item in outcome.unfixables]
    named += [(item.id, item.error_ids) for item in outcome.clusters]
    for name, error_ids in named:
        yield name, tuple(by_id[id_] for id_ in error_ids if id_ in by_id)
