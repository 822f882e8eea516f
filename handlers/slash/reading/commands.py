"""Comment text → the command in it, or none. Only the first `/heal` that starts a plain line counts."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from healing.model import Frozen

LONGEST = 20_000  # a command is a line; nobody writes longer ones by hand
MOST_ARGS = 50


class Command(Frozen):
    """`word` is lower case and empty for a bare `/heal`; `rest` is everything after the word, as written."""

    word: str
    args: tuple[str, ...] = ()
    rest: str = ""


_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_COMMAND = re.compile(r"^ {0,3}/heal(?=\s|$)[ \t]*(.*)$", re.IGNORECASE)
_BLOCK_START = re.compile(r"^ {0,3}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\|)")
_HTML = re.compile(r"<!--.*?-->")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)


def parse_command(body: str) -> Command | None:
    """The first command of a comment; never raises. Code, quotes, lists, tables and HTML comments hold none."""
    for line in plain_lines(body[:LONGEST]):
        found = _COMMAND.match(line)
        if found:
            return _command(found.group(1))
    return None


def _command(text: str) -> Command:
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    return Command(word=word.lower(), args=tuple(rest.split()[:MOST_ARGS]), rest=rest)


def plain_lines(body: str) -> list[str]:
    """The lines of plain paragraphs. A line that continues a quote or a list item is no plain line either."""
    lines: list[str] = []
    inside = False  # a quote or list item goes on until a blank line
    for line in _without_code(body.replace("\r\n", "\n").replace("\r", "\n")):
        if not line.strip():
            inside = False
        elif _BLOCK_START.match(line):
            inside = True
        elif not inside and not line.startswith(("    ", "\t")):
            lines.append(line)
    return lines


def _without_code(body: str) -> list[str]:
    """The lines outside fences and HTML comments, with inline code blanked out."""
    # Spans don't cross blank lines: handle each paragraph alone.
    paragraphs = re.split(r"(\n[ \t]*\n)", "\n".join(_outside(body.split("\n"))))
    return "".join(_CODE_SPAN.sub(_blank, part) for part in paragraphs).split("\n")


def _outside(lines: list[str]) -> Iterator[str]:
    """Lines in the order of a Markdown reader: whichever of fence and HTML comment opens first hides the other."""
    fence: str | None = None
    comment = False
    for line in lines:
        mark = _FENCE.match(line)
        if comment:
            comment = "-->" not in line
            yield "·"
        elif fence is not None:
            if mark and mark.group(1).startswith(fence) and not mark.group(2).strip():
                fence = None
                yield ""
        elif mark and not (mark.group(1)[0] == "`" and "`" in mark.group(2)):
            fence = mark.group(1)
            yield ""
        else:
            shown = _HTML.sub("·", line)
            comment = "<!--" in shown
            yield "·" if comment else shown


def _blank(found: re.Match[str]) -> str:
    """Something that is not a command, with the same line breaks."""
    return re.sub(r"[^\n]+", "·", found.group(0))


# What people type at other bots, or guess, and the command that does it; empty: a bare `/heal`.
SYNONYMS = {
    **dict.fromkeys(("accept", "approve", "commit", "merge", "take"), "apply"),
    **dict.fromkeys(("undo", "revert", "unapply", "restore"), "rollback"),
    **dict.fromkeys(("ignore", "dismiss", "decline", "deny", "discard", "drop", "remove", "delete", "close"), "reject"),
    **dict.fromkeys(("stop", "abort", "kill", "end"), "cancel"),
    **dict.fromkeys(("run", "start", "fix", "go", "begin", "repair", "check", "me"), ""),
    **dict.fromkeys(("rerun", "re-run", "redo", "again", "refresh", "rebase", "recreate"), "retry"),
    **dict.fromkeys(("try", "test", "preview", "dryrun"), "dry-run"),
    **dict.fromkeys(("why", "reason", "describe"), "explain"),
    **dict.fromkeys(("diff", "view", "patch", "proof", "details"), "show"),
    **dict.fromkeys(("fixes", "ls", "suggestions", "proposals"), "list"),
    **dict.fromkeys(("errors", "failed", "failures", "left", "unfixed"), "unfixable"),
    **dict.fromkeys(("state", "info", "progress", "results", "ping"), "status"),
    **dict.fromkeys(("costs", "price", "budget", "spend", "usage", "tokens"), "cost"),
    **dict.fromkeys(("mute", "wait", "hold", "skip", "sleep", "snooze"), "pause"),
    **dict.fromkeys(("continue", "unpause", "unmute"), "resume"),
    **dict.fromkeys(("enable", "activate", "install"), "on"),
    **dict.fromkeys(("disable", "deactivate", "uninstall", "trial"), "off"),
    **dict.fromkeys(("fixup", "pull", "branch"), "pr"),
    **dict.fromkeys(("settings", "configuration", "options", "yml"), "config"),
    **dict.fromkeys(("update", "regenerate", "snapshot"), "snapshots"),
    **dict.fromkeys(("?", "commands", "usage?", "--help", "-h", "hi", "hello"), "help"),
}


def nearest(word: str, known: tuple[str, ...]) -> str | None:
    """The command that was probably meant, empty for a bare `/heal`. By meaning first: `revert` is nearer to `reject`
    by its letters, and means `rollback`."""
    if word in SYNONYMS:
        return SYNONYMS[word]
    close = get_close_matches(word, (*known, *SYNONYMS), n=1, cutoff=0.6)
    return SYNONYMS.get(close[0], close[0]) if close else None
