"""ruff check (full, concise, grouped, pylint, github) and ruff format --check."""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from healing.logs.format import Finding, Format, at_line, number
from healing.logs.formats.python.flake8 import PLUGINS
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

# A code (`F401 `), or a rule's name and a colon. pylint's `C0114: ` is neither; E999 and its plugins' are flake8's.
_CODE = (
    rf"(?P<code>(?!E999|(?:{PLUGINS.pattern}) )[A-Z]{{1,6}}\d{{2,4}}(?= )"
    r"|(?:SyntaxError|unformatted|[a-z]{2,30}(?:-[a-z]{1,30}){1,6})(?=: ))"
)
_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}\.(?:pyi?|ipynb|toml|md))"
_HEAD = re.compile(rf"{_CODE}:? (?:\[\*\] )?(?P<message>\S.*)$")
_ARROW = re.compile(r"\s{0,8}--> (?P<file>\S.{0,400}?):(?P<line>\d{1,9}):(?P<column>\d{1,9})$")
_CONCISE = re.compile(
    rf"{_FILE}:(?:cell \d{{1,5}}:)?(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}}): "
    rf"{_CODE}:? (?:\[\*\] )?(?P<message>[A-Z`\[].*)$"
)
_SYNTAX = re.compile(rf"{_FILE}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}}): (?P<code>invalid-syntax): (?P<message>.*)$")
_PYLINT = re.compile(
    rf"{_FILE}:(?P<line>\d{{1,9}}): \[(?P<code>[A-Z]{{1,6}}\d{{2,4}}|invalid-syntax)\] (?P<message>[A-Z`].*)$"
)
_GROUP = re.compile(rf"{_FILE}:$")
_GROUPED = re.compile(
    rf"\s{{2,12}}(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})\s{{1,6}}{_CODE}:? (?:\[\*\] )?(?P<message>\S.*)$"
)
_WOULD = re.compile(r"Would reformat: (?P<file>\S.{0,400})$")
_UNPARSED = re.compile(
    r"error: Failed to parse (?P<file>[^:]{1,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<message>.*)$"
)

_GUTTER = re.compile(r"\s{0,8}\d{0,9}\s{0,3}[|+-]|\s{0,8}\d{1,9} ")
_BLOCK_LINES = 60


class _Reader:
    """Reports one-line forms immediately; collects the full form from its arrow to the end of its code frame."""

    def __init__(self, _paths: Paths) -> None:
        self._before: Line | None = None
        self._group: str | None = None
        self._head: re.Match[str] | None = None
        self._arrow: re.Match[str] | None = None
        self._block: list[str] = []
        self._at = 0
        self._last = 0

    @property
    def busy(self) -> bool:
        return self._arrow is not None or self._group is not None

    def read(self, line: Line) -> Iterable[Finding]:
        findings: list[Finding] = []
        if self._arrow is not None and not self._continues(line):
            findings += self._picture()
        if self._arrow is None:
            findings += self._idle(line)
        self._before = line
        return findings

    def close(self) -> Iterable[Finding]:
        return self._picture() if self._arrow is not None else ()

    def _continues(self, line: Line) -> bool:
        text = line.text
        if len(self._block) >= _BLOCK_LINES or not text.strip() or _ARROW.match(text):
            return False
        if not (_GUTTER.match(text) or text.startswith(("help: ", "note: ", "  "))):
            return False
        self._block.append(text)
        self._last = line.number
        return True

    def _idle(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if (
            "--> " in text
            and self._before
            and (arrow := _ARROW.match(text))
            and (head := _HEAD.match(self._before.text))
        ):
            self._arrow, self._head, self._block = arrow, head, [self._before.text, text]
            self._at, self._last = self._before.number, line.number
            return ()
        if self._group is not None:
            if match := _GROUPED.match(text):
                return (_finding(match, line, file=self._group),)
            self._group = None
        if match := _GROUP.match(text):
            self._group = match["file"]
            return ()
        return self._one_line(line)

    def _one_line(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if ": " not in text:
            return ()
        if text.startswith("::error title=ruff ("):
            return self._one_line(Line(line.number, unquote(text.partition("::error ")[2].partition("::")[2])))
        text, _, suggestion = text.partition("\n  help: ")
        if match := _SYNTAX.match(text) or _CONCISE.match(text) or _PYLINT.match(text):
            return (_finding(match, line, suggestion=suggestion),)
        if match := _WOULD.match(text):
            return (_unformatted(match["file"], line.number, text),)
        if match := _UNPARSED.match(text):
            return (_finding(match, line, code="invalid-syntax"),)
        return ()

    def _picture(self) -> Iterable[Finding]:
        arrow, head, block = self._arrow, self._head, self._block
        self._arrow, self._head, self._block = None, None, []
        if arrow is None or head is None:
            return ()
        excerpt = "\n".join(block)
        if head["code"] == "unformatted":
            return (_unformatted(arrow["file"], self._at, excerpt, self._last, number(arrow["line"])),)
        helps = [i for i, text in enumerate(block) if text.startswith("help: ")]
        suggestion = "\n".join(block[helps[0] :]).removeprefix("help: ") if helps else None
        return (
            Finding(
                tool="ruff",
                code=head["code"],
                category=_category(head["code"]),
                message=head["message"],
                file=arrow["file"],
                line=number(arrow["line"]),
                column=number(arrow["column"]),
                log_line=self._at,
                span=(self._at, self._last),
                suggestion=suggestion,
                excerpt=excerpt,
            ),
        )


def _finding(
    match: re.Match[str], line: Line, file: str | None = None, code: str | None = None, suggestion: str = ""
) -> Finding:
    groups = match.groupdict()
    code = code or groups["code"]
    if code == "unformatted":
        return _unformatted(groups["file"], line.number, line.text, row=number(groups["line"]))
    return Finding(
        tool="ruff",
        code=code,
        category=_category(code),
        message=groups["message"],
        file=file or groups["file"],
        line=number(groups["line"]),
        column=number(groups.get("column")),
        log_line=line.number,
        suggestion=suggestion or None,
        excerpt=line.text,
    )


def _unformatted(file: str, at: int, excerpt: str, last: int = 0, row: int | None = None) -> Finding:
    return Finding(
        tool="ruff",
        code="unformatted",
        category=Category.FORMAT,
        message="would reformat",
        file=file,
        line=row,
        log_line=at,
        span=(at, last) if last else None,
        excerpt=excerpt,
        suggestion="Run ruff format on this file.",
    )


def _category(code: str) -> Category:
    if code in ("E999", "invalid-syntax", "SyntaxError"):
        return Category.SYNTAX
    return Category.SECURITY if re.fullmatch(r"S\d{3}", code) else Category.LINT


FORMAT = Format(
    "ruff",
    (
        "--> ",
        *at_line(".py", ".pyi", ".toml", ".md"),
        ".ipynb:",
        ".py:\n",
        ".pyi:\n",
        "Would reformat: ",
        "error: Failed to parse ",
    ),
    _Reader,
)
