"""Comment text → the command in it, or none. Only the first `/heal` that starts a plain line counts."""

import re
from collections.abc import Iterator

from healing.model import Frozen

MAX_LENGTH = 20_000  # a command is a line; nobody writes longer ones by hand
MAX_ARGS = 50


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
    for line in plain_lines(body[:MAX_LENGTH]):
        found = _COMMAND.match(line)
        if found:
            return _command(found.group(1))
    return None


def _command(text: str) -> Command:
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    return Command(word=word.lower(), args=tuple(rest.split()[:MAX_ARGS]), rest=rest)


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


def _blank(match: re.Match[str]) -> str:
    """Something that is not a command, with the same line breaks."""
    return re.sub(r"[^\n]+", "·", match.group(0))
