"""Parses the command in a comment: the first `/heal` at the start of a plain line."""

import re
from collections.abc import Iterator

from healing.model import Frozen

MAX_LENGTH = 20_000  # characters that are searched for a command
MAX_ARGS = 50


class Command(Frozen):
    """`word` is in lower case, and empty for a bare `/heal`; `rest` is the text after it, as written."""

    word: str
    args: tuple[str, ...] = ()
    rest: str = ""


_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_COMMAND = re.compile(r"^ {0,3}/heal(?=\s|$)[ \t]*(.*)$", re.IGNORECASE)
_BLOCK_START = re.compile(r"^ {0,3}(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\|)")
_HTML = re.compile(r"<!--.*?-->")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)


def parse_command(body: str) -> Command | None:
    """The first command of a comment, or None; never raises. Code, quotes, lists, tables and HTML comments are
    skipped."""
    for line in plain_lines(body[:MAX_LENGTH]):
        found = _COMMAND.match(line)
        if found:
            word, _, rest = found.group(1).strip().partition(" ")
            rest = rest.strip()
            return Command(word=word.lower(), args=tuple(rest.split()[:MAX_ARGS]), rest=rest)
    return None


def plain_lines(body: str) -> list[str]:
    """The lines of plain paragraphs, without those that continue a quote or a list item."""
    lines: list[str] = []
    inside = False  # a quote or list item, which continues until a blank line
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
    # Code spans don't cross blank lines, so each paragraph is handled by itself.
    paragraphs = re.split(r"(\n[ \t]*\n)", "\n".join(_outside(body.split("\n"))))
    return "".join(_CODE_SPAN.sub(_blank, part) for part in paragraphs).split("\n")


def _outside(lines: list[str]) -> Iterator[str]:
    """The lines outside fences and HTML comments. As in Markdown, whichever of the two opens first hides the other."""
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


def _blank(match: re.Match[str]) -> str:
    """Text that is no command, with the same line breaks."""
    return re.sub(r"[^\n]+", "·", match.group(0))
