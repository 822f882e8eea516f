"""hlint, ghc spans, OCaml, Erlang, Elixir, Nim, D, Pascal, Fortran: compilers with their own notation for places."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_L, _C = r"(?P<line>\d{1,9})", r"(?P<column>\d{1,9})"
_LEVEL = r"(?P<level>(?i:fatal error|error|warning|suggestion|hint|note|deprecation|fatal))"
_ROWS = tuple(
    (tool, re.compile(rf"{row}(?P<message>.*)$"))
    for tool, row in (
        (
            "hlint",
            rf"(?P<file>[^\s:][^:]{{0,300}}\.l?hs):(?:{_L}:{_C}(?:-\d{{1,9}})?"
            rf"|\((?P<row>\d{{1,9}}),(?P<col>\d{{1,9}})\)-\(\d+,\d+\)): (?P<level>Suggestion|Warning|Error"
            rf"|Ignore): ",
        ),
        (
            "ghc",
            r"(?P<file>[^\s:][^:]{0,300}\.(?:l?hs|hsc)):\((?P<row>\d{1,9}),(?P<col>\d{1,9})\)-\(\d+,\d+\):\s?(?:"
            r"(?P<level>error|warning):)?\s?(?:\[(?P<code>[\w-]{2,60})\].{0,80})?",
        ),
        (
            "ghc",
            rf"(?P<file>[^\s:][^:]{{0,300}}\.(?:l?hs|hsc)):{_L}:{_C}(?:-\d{{1,9}})?:\s{{0,4}}(?=$|Warning:"
            rf"|parse error)(?:(?P<level>Warning):)?\s?",
        ),
        (
            "ocaml",
            rf'File "(?P<file>[^"]{{1,300}}\.(?:mli?|mll|mly|re))", lines? {_L}(?:-\d{{1,9}})?(?:, characters '
            rf"(?P<column>\d{{1,9}})-\d{{1,9}})?:",
        ),
        ("erlc", rf"(?P<file>[^\s:][^:]{{0,300}}\.(?:[ehxy]rl|yrl)):{_L}(?::{_C})?: (?:(?P<level>Warning): )?"),
        (
            "elixir",
            rf"\*\* \((?P<code>[A-Z]\w{{3,40}}Error)\) (?P<file>[^\s:]{{1,300}}\.(?:exs?"
            rf"|[lh]?eex)):{_L}(?::{_C})?:\s?",
        ),
        (
            "nim",
            rf"(?P<file>(?:[A-Za-z]:)?[^\s():][^():]{{0,300}}\.nims?)\({_L}, {_C}\) (?P<level>Error|Warning"
            rf"|Hint): ",
        ),
        (
            "dmd",
            rf"(?P<file>(?:[A-Za-z]:)?[^\s():][^():]{{0,300}}\.di?)\({_L}(?:,{_C})?\): (?P<level>Error|Warning"
            rf"|Deprecation): ",
        ),
        (
            "fpc",
            rf"(?P<file>(?:[A-Za-z]:)?[^\s():][^():]{{0,300}}\.(?:pas|pp|lpr|dpr"
            rf"|inc))\({_L}(?:,{_C})?\) (?P<level>Fatal|Error|Warning|Note|Hint): ",
        ),
        (
            "gfortran",
            rf"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]{{0,300}}\.(?:[fF](?:or|77|90|95|03|08)?"
            rf"|inc)):{_L}[:.]{_C}(?:-\d{{1,9}})?:\s{{0,4}}(?=$)",
        ),
    )
)
_MESSAGE = re.compile(rf"{_LEVEL}(?: \d{{1,4}})?(?: \[(?P<code>[\w-]{{1,60}})\])?: (?P<message>\S.*)$")
_PICTURE = re.compile(r"\s{0,8}\d{0,9}\s{0,4}\||\s*$|\s|\^|\d{1,6} ")
_WAITING = ("ocaml", "ghc", "gfortran")  # the place is on a line of its own
_LINES = 14


class _Reader:
    """Reads errors; if the first line is only a place, the message follows, maybe below a code frame. hlint adds its
    suggestion."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if self._open is not None and self._joins(self._open, line):
            return ()
        done = self.close()
        match, tool = next(((m, tool) for tool, row in _ROWS if (m := row.match(line.text))), (None, ""))
        if match and not match["message"].startswith(("error:", "warning:", "Error:")):
            self._open = _finding(tool, match, line)
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done and done.message else ()

    def _joins(self, error: Finding, line: Line) -> bool:
        text = line.text
        if error.excerpt.count("\n") > _LINES:
            return False
        error = replace(error, excerpt=f"{error.excerpt}\n{text}", span=(error.log_line, line.number))
        if error.tool == "hlint":
            return self._hint(error, text)
        if error.tool not in _WAITING:
            return False
        if not error.message and (match := _MESSAGE.match(text.strip() if error.tool == "ghc" else text)):
            severity = _severity(match["level"])
            code = match["code"] or error.code
            error = replace(error, message=match["message"], severity=severity, code=code, category=_category(severity))
        elif (error.message and error.tool == "gfortran") or not _PICTURE.match(text):
            return False
        elif error.tool == "ghc" and not error.message and text.strip():
            error = replace(error, message=text.strip(" •"))
        elif error.tool == "ocaml" and error.message and text.startswith("       "):
            error = replace(error, message=f"{error.message} {text.strip()}")
        elif error.message and not text.strip():
            return False
        self._open = error
        return True

    def _hint(self, error: Finding, text: str) -> bool:
        plain = text.strip()
        if not plain or not (text.startswith("  ") or plain in ("Found:", "Perhaps:", "Why not:", "Note:")):
            return False
        before = error.excerpt.split("\n")[-2].strip()
        if before in ("Perhaps:", "Why not:") or error.suggestion:
            error = replace(error, suggestion=f"{error.suggestion}\n{plain}" if error.suggestion else plain)
        self._open = replace(error, message=f"{error.message}\n{plain}")
        return True


def _finding(tool: str, match: re.Match[str], line: Line) -> Finding:
    groups = match.groupdict()
    severity = _severity(groups.get("level") or "error")
    return Finding(
        tool=tool,
        code=groups.get("code"),
        category=Category.LINT if tool == "hlint" else _category(severity),
        severity=severity,
        message=f"{groups['level']}: {groups['message']}" if tool == "hlint" else groups["message"].strip(),
        file=groups["file"],
        line=number(groups.get("line") or groups.get("row")),
        column=number(groups.get("column") or groups.get("col")),
        log_line=line.number,
        excerpt=line.text,
    )


def _category(severity: Severity) -> Category:
    return Category.COMPILE if severity is Severity.ERROR else Category.LINT


def _severity(level: str) -> Severity:
    level = level.lower()
    if level in ("hint", "note", "ignore"):
        return Severity.NOTE
    return Severity.WARNING if level in ("warning", "suggestion", "deprecation") else Severity.ERROR


FORMAT = Format(
    "functional",
    (
        ".hs:",
        ".lhs:",
        ".hsc:",
        'File "',
        ".erl:",
        ".hrl:",
        ".xrl:",
        ".yrl:",
        "Error) ",
        ".nim(",
        ".nims(",
        ".d(",
        ".di(",
        ".pas(",
        ".pp(",
        ".lpr(",
        ".dpr(",
        ".f90:",
        ".f:",
        ".F90:",
        ".f95:",
        ".F:",
        ".for:",
        ".f03:",
        ".f08:",
        ".f77:",
    ),
    _Reader,
)
