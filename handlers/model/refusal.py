"""Classifies refusals of GitHub.

GitHub's status codes don't distinguish the kinds: a missing permission gives 403 or 404, a rule of the repository 403,
409 or 422, and GraphQL responds with 200 and an error message. So the message is considered first.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from handlers.model import Refused
from healing.model import Frozen

log = logging.getLogger("heal.refusal")

Kind = Literal["secret", "workflow", "rule", "permission", "locked", "archived", "access", "missing", "other"]
_WORDS: tuple[tuple[Kind, "re.Pattern[str]"], ...] = (
    ("secret", re.compile(r"secret detected|push protection|GH013.{0,200}secret|contains? secrets?", re.I | re.S)),
    ("workflow", re.compile(r"without `?workflows`? permission|create or update workflow", re.I)),
    ("archived", re.compile(r"archived", re.I)),
    ("locked", re.compile(r"\blocked\b|conversation is limited|blocked from", re.I)),
    (
        "rule",
        re.compile(
            r"rule violation|repository rule|ruleset|protected branch|branch protection|must be made through a pull|"
            r"required status check|must have (?:verified )?signatures|GH0(?:06|13)|not authorized to push",
            re.I,
        ),
    ),
    ("permission", re.compile(r"not accessible by integration|must have .{0,40}(?:access|rights)|permission", re.I)),
)


_PERMISSION = re.compile(r"([a-z_]{1,40})=(read|write|admin)")
_PERMISSIONS = re.compile(rf"\s*{_PERMISSION.pattern}(?:,\s*{_PERMISSION.pattern}){{0,5}}\s*")
MAX_NEEDS = 4


class Refusal(Frozen):
    """`words` are GitHub's message. `kind` determines what a person can do about it. `needs` are alternative
    permissions, one of which would suffice (`Issues: write`), if GitHub names them."""

    status: int
    kind: Kind
    words: str
    needs: tuple[str, ...] = ()


def is_final(error: Refused) -> bool:
    """Whether a retry can't help: neither a rate limit nor a 5xx."""
    return error.retry_after is None and error.status < 500


@contextmanager
def suppress_refusal() -> Iterator[None]:
    """Logs and suppresses a final refusal, for a write on which nothing else depends."""
    try:
        yield
    except Refused as error:
        if not is_final(error):
            raise
        log.warning("not written: %s", error)


def refusal_of(error: Refused) -> Refusal:
    """Returns the refusal as a value, with its kind."""
    needs = dict.fromkeys(_spelt(part) for part in error.needs[:500].split(";") if _PERMISSIONS.fullmatch(part))
    kind = _kind(error.status, error.message)
    return Refusal(status=error.status, kind=kind, words=error.message, needs=tuple(needs)[:MAX_NEEDS])


def _spelt(permissions: str) -> str:
    """Returns `contents=write,pull_requests=read` as in the settings of an App."""
    return " and ".join(
        f"{name.replace('_', ' ').capitalize()}: {level}" for name, level in _PERMISSION.findall(permissions)
    )


def _kind(status: int, words: str) -> Kind:
    for kind, pattern in _WORDS:
        if pattern.search(words):
            return kind
    if status == 401:
        return "access"
    if status == 403:
        return "permission"
    return "missing" if status in (404, 410) else "other"
