"""Resolves an id in a command to an error, a fix, a report or a cluster of the pull request, and suggests ids for one
that was mistyped."""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from handlers.comments import answers
from handlers.errors import UserError
from handlers.model import Context
from healing.model import CIError, Frozen, Outcome

MIN_LENGTH = 4  # digits of an id; a shorter prefix could be a word
MIN_SIMILARITY = 0.7  # of a suggested id: the share of matching digits
MAX_SUGGESTIONS = 3
MAX_LENGTH = 64
MAX_IDS = 2000
_LIKE_AN_ID = re.compile(r"(?=[^0-9]{0,64}[0-9])[eu]?[0-9a-f]{6,64}", re.IGNORECASE)  # with a digit, unlike words


class ResolvedId(Frozen):
    """`id` in full, and the errors of what it names."""

    id: str
    errors: tuple[CIError, ...]


async def resolve_id(context: Context, number: int, word: str, hints: bool = True) -> ResolvedId | None:
    """What a word names by its id or a unique prefix of it; None if it is no id. Raises UserError if it is the prefix
    of several ids, or looks like an id and is none. `hints`: the command takes a hint too, which the error mentions."""
    prefix = word.strip("`,;:").lower()
    outcomes = [run.outcome for run in await context.store.runs(number) if run.outcome is not None]
    named: dict[str, tuple[CIError, ...]] = {}
    for outcome in outcomes:  # newest first: of two runs with the same id, the newer one counts
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


def near_ids(word: str, ids: Iterable[str]) -> tuple[str, ...]:
    """Up to three ids that are similar to a mistyped one, the most similar first. Only as many digits of each id are
    compared as `word` has."""
    wanted = word.strip("`,;:").lower()[:MAX_LENGTH]
    if len(wanted) < 3:
        return ()
    known = list(dict.fromkeys(ids))[:MAX_IDS]
    scored = [(SequenceMatcher(None, wanted, id_[: len(wanted)].lower()).ratio(), id_) for id_ in known]
    best = sorted((one for one in scored if one[0] >= MIN_SIMILARITY), key=lambda one: -one[0])
    return tuple(id_ for _, id_ in best[:MAX_SUGGESTIONS])
