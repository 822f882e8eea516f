"""The one message to the operator's chat: a default branch is red, and Heal has a fix or needs somebody.

Slack reads `<…>` as links and mentions wherever they stand, also in code; Mattermost reads `@all` in plain text. So
nothing foreign keeps these characters, and what is a link is made here. What CI's log says is not repeated: a chat may
belong to somebody else than the code.
"""

from collections import Counter
from typing import NamedTuple

from handlers.comments.clean import plain
from handlers.comments.parts import plural
from handlers.model.chat import ChatOutcome
from healing.model import CIError

MAX_ERRORS = 5
MAX_NAME = 100


class ErrorsByNeed(NamedTuple):
    """The errors that need somebody, and those with a tested fix."""

    left: tuple[CIError, ...]
    fixed: tuple[CIError, ...]


def red_branch(
    repo: str, branch: str, commit: tuple[str, str], result: str, errors: ErrorsByNeed, links: tuple[str, ...]
) -> str:
    """`commit` is the commit's name and address, `result` the check run's title, `links` what people go on to."""
    fixed = "Has a tested fix: " if errors.left else ""  # else the first line says it of all of them
    counts = Counter(f"Needs you: {_named(error)}" for error in errors.left)
    counts.update(f"{fixed}{_named(error)}" for error in errors.fixed)
    rows = list(counts.items())
    listed = [f"• {row}{f' ({count} errors)' if count > 1 else ''}" for row, count in rows[:MAX_ERRORS]]
    if more := sum(count for _, count in rows[MAX_ERRORS:]):
        listed.append(f"… and {plural(more, 'more error')}")
    name, address = commit
    first = f"{code(repo)}: {code(branch)} is red at {link(address, name)}. {escape(result)}."
    return "\n".join((first, *listed, " · ".join(links))).rstrip()


def pull_request(outcome: ChatOutcome, address: str, number: int) -> str:
    """Where the fixes are."""
    doing = "Review and merge" if outcome == "fix" else "Tested fixes:"
    return f"{doing} {link(address, f'pull request #{number}')}"


def details(address: str) -> str:
    """What Heal found, with what a person can do."""
    return link(address, "What Heal found")


def link(address: str, words: str) -> str:
    """Both are ours; an address with a repository's name in it is quoted already."""
    return f"<{escape(address).replace('|', '%7C')}|{escape(words)}>"


def code(text: str) -> str:
    """Foreign words as code that they can't leave."""
    return f"`{escape(plain(text, MAX_NAME).replace('`', 'ˋ')) or '?'}`"


def escape(text: str) -> str:
    """The three characters that Slack reads."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _named(error: CIError) -> str:
    named = code(" ".join(part for part in (error.tool, error.code) if part))
    if not error.file:
        return named
    return f"{named} at {code(error.file if error.line is None else f'{error.file}:{error.line}')}"
