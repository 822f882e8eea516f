"""The message to the operator's chat: a default branch is red, and Heal has a fix or needs somebody.

Slack reads `<…>` as links and mentions everywhere, even in code; Mattermost reads `@all` in plain text. So these
characters are removed from untrusted text, and links are only made here. CI's log is not quoted, because other people
may read the chat than the code.
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
    """`commit`: the commit's name and address; `result`: the check run's title; `links`: links for the last line."""
    fixed = "Has a tested fix: " if errors.left else ""  # otherwise the first line says this about all of them
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
    """The link to the pull request with the fixes."""
    doing = "Review and merge" if outcome == "fix" else "Tested fixes:"
    return f"{doing} {link(address, f'pull request #{number}')}"


def details(address: str) -> str:
    """The link to the result."""
    return link(address, "What Heal found")


def link(address: str, words: str) -> str:
    """A link; both arguments are trusted, and names in the address are quoted already."""
    return f"<{escape(address).replace('|', '%7C')}|{escape(words)}>"


def code(text: str) -> str:
    """Untrusted text as inline code that it can't end."""
    return f"`{escape(plain(text, MAX_NAME).replace('`', 'ˋ')) or '?'}`"


def escape(text: str) -> str:
    """Escapes the three characters that Slack interprets."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _named(error: CIError) -> str:
    named = code(" ".join(part for part in (error.tool, error.code) if part))
    if not error.file:
        return named
    return f"{named} at {code(error.file if error.line is None else f'{error.file}:{error.line}')}"
