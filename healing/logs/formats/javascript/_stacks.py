"""JavaScript stack traces: frames, the frame to blame, code frames, and the values of a failed expectation."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from healing.logs.paths import Paths
from healing.model import Category, Related

_START = re.compile(r"\s{0,60}(?:at |❯ |› )(?:async )?(?:new )?")
_SPOT = re.compile(r":(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?\)?[\"'`,;\\ ]{0,8}$")
_INNER = re.compile(
    r"node:|internal/|<|native$|evalmachine|\[|webpack/|webpack:///?(?:\(?node_modules|webpack)|bun:|ext:|deno:|jar:|chrome-extension:"
    r"|.{0,400}/(?:node_modules|chunk|deps|\.yarn/cache|jest-circus|jest-jasmine2|\.deno)[/-]|https?://(?!localhost)"
)
_BEFORE_PATH = re.compile(
    r"(?:webpack(?:-internal)?://(?:/|[\w.@-]{0,60}/)(?:\([\w-]{1,40}\)/)?|https?://localhost(?::\d{1,5})?/(?:base/|_karma_webpack_/)?)(?:\./)?"
)
_QUERY = re.compile(r"\?[\w=&.%-]{0,80}$")
CODE_FRAME = re.compile(r"\s{0,30}(?:>\s{0,8})?\d{1,7}\s?[|│]|\s{1,40}[|│](?:\s+\^|$)")
_ERROR_CLASS = re.compile(
    r"(?P<name>(?:Uncaught |Unhandled )?[A-Za-z_$][\w$.]{0,80}(?:Error|Exception|Warning"
    r"|Rejection)?)(?: \[(?P<code>\w{2,60})\])?: "
)
_PAIRED = re.compile(
    r"(?P<what>(?:Expected|expected)(?: (?:value|substring|pattern|length|path|has type"
    r"|number of calls|constructor|message|string|name|object|array|exact))?"
    r"|(?:Received|received|Actual|actual)(?: (?:value|string|length|path|has type"
    r"|number of calls|constructor|message|name|object|array|has value|function))?)"
    r"(?: to [\w ]{1,60}?)?:(?:\s{1,12}(?P<value>\S.*))?$"
)
_SIGNS = (  # heading of a diff -> (sign of expected, sign of actual)
    (re.compile(r"- Expected\b"), ("-", "+")),
    (re.compile(r"\+ expected - actual"), ("+", "-")),
    (re.compile(r"\+ actual - expected"), ("-", "+")),
    (re.compile(r"Difference(?: \(- actual, \+ expected\))?:$"), ("+", "-")),
    (re.compile(r"--- expected$"), ("-", "+")),
)
_LEGEND = re.compile(r"[+-]{1,3} (?:Received|received|Actual|actual|Expected|expected)\b:?(?:\s{1,8}[+-] \d{1,6})?$")
_UNEQUAL = re.compile(r"(?P<actual>\S.{0,300}) (?:!==|!=|!deepEqual|notDeepEqual) (?P<expected>\S.{0,300})$")
_LINES = 200


@dataclass(frozen=True, slots=True)
class JavascriptFrame:
    """One stack frame; lists of them are innermost first."""

    file: str
    line: int
    column: int | None = None
    function: str = ""

    def related(self) -> Related:
        """The frame as a place that belongs to an error."""
        return Related(
            file=self.file, line=self.line, column=self.column, message=f"in {self.function}" if self.function else ""
        )


def frame(text: str) -> JavascriptFrame | None:
    """The frame in a line of a stack; None if it has none, or one that isn't source."""
    start = _START.match(text[:400])
    spot = _SPOT.search(text[-60:]) if start else None
    if start is None or spot is None or len(text) > 2000:
        return None
    rest = text[start.end() :]
    rest = rest[: len(rest) - len(spot[0])]
    function, bracket, file = rest.partition(" (")
    if not bracket:
        function, file = ("", rest) if "/" in rest.partition(" ")[0] or " " not in rest else _split(rest)
    file = _QUERY.sub("", file.lstrip("("))
    if not file or _INNER.match(file):
        return None
    return JavascriptFrame(_BEFORE_PATH.sub("", file), int(spot["line"]), _number(spot["column"]), function.strip())


def _split(text: str) -> tuple[str, str]:
    """Splits Vitest's form, without brackets around the place: `❯ total src/cart.ts`."""
    function, _, file = text.rpartition(" ")
    return function, file


def _number(text: str | None) -> int | None:
    return int(text) if text else None


def blame(frames: Iterable[JavascriptFrame], paths: Paths) -> JavascriptFrame | None:
    """The innermost frame inside the repository, where the error can mostly be fixed."""
    return next((f for f in frames if not f.file.startswith("..") and paths.inside(f.file)), None)


@dataclass(frozen=True, slots=True)
class JavascriptError:
    """The error in the lines under a failed test's name."""

    message: str
    frames: tuple[JavascriptFrame, ...] = ()
    expected: str | None = None
    actual: str | None = None

    @property
    def error(self) -> str:
        """The name of the error's class, or ""."""
        match = _ERROR_CLASS.match(self.message)
        return match["name"] if match else ""


def parse_error(lines: Sequence[str], preamble: re.Pattern[str] | None = None) -> JavascriptError:
    """The message before the first code frame or stack, the frames, and both sides of the comparison.

    Lines that match `preamble` are the runner's advice, not part of the message.
    """
    words: list[str] = []
    frames: list[JavascriptFrame] = []
    pictured = False
    for text in lines[:_LINES]:
        place = frame(text)
        if place:
            frames.append(place)
        pictured = pictured or place is not None or bool(CODE_FRAME.match(text))
        pictured = pictured or text.lstrip().startswith(("at ", "❯ "))
        if not pictured and not (preamble and preamble.match(text.strip())):
            words.append(text)
    expected, actual = comparison(words)
    return JavascriptError(_first_words(words), tuple(frames), expected, actual)


def _first_words(lines: Sequence[str]) -> str:
    """The first lines of the first paragraph; one that ends in a colon continues in the next paragraph."""
    message_lines: list[str] = []
    for text in lines:
        line = text.strip()
        if not line:
            if message_lines and not message_lines[-1].endswith(":"):
                break
            continue
        if message_lines and (
            _PAIRED.match(line) or len(message_lines) >= 3 or line.startswith(("+ ", "- ", "{", "}"))
        ):
            break
        message_lines.append(line)
    return " ".join(message_lines)


def comparison(lines: Sequence[str]) -> tuple[str | None, str | None]:
    """(expected, actual) as labelled values, as a diff, or as `1 !== 2`; None for each that is missing."""
    labelled: dict[str, str] = {}
    for at, text in enumerate(lines):
        line = text.strip()
        for heading, signs in _SIGNS:
            if heading.match(line):
                sides = _diff(lines[at + 1 :], signs)
                if any(sides):
                    return sides
        if match := _PAIRED.match(line):
            side = "expected" if match["what"][:1] in "Ee" else "actual"
            labelled.setdefault(side, match["value"] or _next(lines[at + 1 :]))
        elif not labelled and (match := _UNEQUAL.match(line)):
            return match["expected"], match["actual"]
    return labelled.get("expected") or None, labelled.get("actual") or None


def _next(lines: Sequence[str]) -> str:
    return lines[0].strip() if lines else ""


def _diff(lines: Sequence[str], signs: tuple[str, str]) -> tuple[str | None, str | None]:
    sides: dict[str, list[str]] = {sign: [] for sign in signs}
    for text in lines:
        line = text.strip()
        if any(heading.match(line) for heading, _ in _SIGNS):
            break
        if line[:1] in sides and not _LEGEND.match(line):
            sides[line[0]].append(line[1:].removeprefix(" "))
    expected, actual = ("\n".join(sides[sign]).strip() for sign in signs)
    return expected or None, actual or None


def category(error: str, message: str, otherwise: Category) -> Category:
    """The category of an error by its class and message."""
    if error.endswith("SyntaxError") or "Unexpected token" in message or "invalid JS syntax" in message:
        return Category.SYNTAX
    if re.match(
        r"(?:\w{0,40}Error: )?(?:Cannot find (?:module|package)|Failed to (?:resolve|load)"
        r"|Could not (?:locate|resolve)|ERR_MODULE)",
        message,
    ):
        return Category.IMPORT
    return otherwise
