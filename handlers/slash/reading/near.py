"""Ids that somebody may have meant who mistyped one. Pure."""

from collections.abc import Iterable
from difflib import SequenceMatcher

LEAST = 0.7  # of the digits, in their order
LIMIT = 3
MAX_LENGTH = 64
MAX_IDS = 2000


def near_ids(word: str, ids: Iterable[str]) -> tuple[str, ...]:
    """The nearest first, a few at most. A word is compared with as many digits of each id as it has; one that shares
    too few is no guess."""
    wanted = word.strip("`,;:").lower()[:MAX_LENGTH]
    if len(wanted) < 3:
        return ()
    known = list(dict.fromkeys(ids))[:MAX_IDS]
    scored = [(SequenceMatcher(None, wanted, id_[: len(wanted)].lower()).ratio(), id_) for id_ in known]
    best = sorted((one for one in scored if one[0] >= LEAST), key=lambda one: -one[0])
    return tuple(id_ for _, id_ in best[:LIMIT])
