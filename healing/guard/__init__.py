"""The guard against cheating (CK-5): computed from the diff, never asked of a model. One rule a file."""

from collections.abc import Callable, Mapping

from healing.guard import caps, excepts, forbidden, silencing, tests
from healing.model import CIError

Change = tuple[bytes | None, bytes | None]  # old and new bytes; None: no such file
Rule = Callable[[Mapping[str, Change], tuple[CIError, ...]], list[str]]

RULES: tuple[Rule, ...] = (caps.refusals, forbidden.refusals, tests.refusals, silencing.refusals, excepts.refusals)


def refusals(changes: Mapping[str, Change], errors: tuple[CIError, ...]) -> tuple[str, ...]:
    """Why a change may not be offered as a fix of `errors`; empty where nothing speaks against it."""
    return tuple(text for rule in RULES for text in rule(changes, errors))
