"""The guard against cheating (CK-5): computed from the diff, never asked of a model. One rule a file."""

from collections.abc import Callable, Mapping

from healing.guard import canned, caps, excepts, forbidden, silencing, tests
from healing.model import CIError

Change = tuple[bytes | None, bytes | None]  # old and new bytes; None: no such file
Rule = Callable[[Mapping[str, Change], tuple[CIError, ...]], list[str]]

RULES: tuple[Rule, ...] = (caps.refusals, forbidden.refusals, tests.refusals, silencing.refusals, excepts.refusals)


def refusals(
    changes: Mapping[str, Change], errors: tuple[CIError, ...], read: Callable[[str], bytes | None] = lambda _: None
) -> tuple[str, ...]:
    """Why a change may not be offered as a fix of `errors`; empty where nothing speaks against it. `read` gives the
    files before the change, to see what the failing tests expect."""
    found = [text for rule in RULES for text in rule(changes, errors)]
    return (*found, *canned.refusals(changes, errors, read))
