"""Finds the tools that a clone's own checks call: the words where a shell expects a command."""

import re
from collections.abc import Iterable, Iterator

from healing.checks.check import Check

# At the start of a line, after a separator, or after a launcher: `python -m pytest`, `npx eslint`, `uv run mypy`.
_COMMAND = re.compile(
    r"(?:^|[;&|(`]|(?<=\bnpx )|(?<=\buvx )|(?<=\bexec )|(?<=\bsudo )|(?<=\s-m )|\brun\s(?:--?[\w=.-]{1,60}\s){0,5})"
    r"[ \t]*(?:[A-Za-z_]\w{0,100}=\S{0,200}[ \t]+){0,20}([A-Za-z][\w.+-]{0,60})(?=\s|$|[;&|)`])",
    re.MULTILINE,
)


def used_tools(checks: Iterable[Check], known: Iterable[str]) -> dict[str, str]:
    """Returns those of the `known` tools that checks call, each with the name of the first check that does."""
    wanted = frozenset(known)
    used: dict[str, str] = {}
    for check in checks:
        for word in _commands(check.step.run):
            if word in wanted:
                used.setdefault(word, check.title)
    return used


def _commands(script: str) -> Iterator[str]:
    for match in _COMMAND.finditer(script):
        yield match[1].replace("pre_commit", "pre-commit")
