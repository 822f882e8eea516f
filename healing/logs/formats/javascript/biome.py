"""Biome (formerly Rome): check, lint, format, ci; a heading with a horizontal rule, then signs and code frames."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_CATEGORY = (
    r"(?:lint/[\w/]{1,80}|assist/[\w/]{1,80}|plugin(?:/\S{1,80})?|syntax/[\w/]{1,80}|parse|format|organizeImports"
    r"|suppressions/\w{1,40}|internalError/\w{1,40}|lint|check|ci|configuration|deserialize|files/\w{1,40}|project"
    r"|search|assist|(?:flags|args)/\w{1,40})"
)
_HEAD = re.compile(
    r"(?P<file>\S.{0,400}?)(?::(?P<line>\d{1,9}):(?P<column>\d{1,9}))? "
    rf"(?P<code>{_CATEGORY})\s{{1,3}}(?P<tags>(?:[A-Z]{{3,20}}\s{{1,3}}){{0,4}})━{{1,400}}$"
)
_SIGN = re.compile(r"\s{1,4}(?P<sign>[×✖x!⚠iℹ])\s{1,4}(?P<message>\S.*)$")
_SIGNS = {"×": Severity.ERROR, "✖": Severity.ERROR, "x": Severity.ERROR, "!": Severity.WARNING, "⚠": Severity.WARNING}
# Diagnostics that only follow from another one of the same run.
_FOLLOWS = (
    "Code formatting aborted",
    "Format with errors is disabled",
    "The file contains diagnostics",
    "Some errors were emitted",
)
_KEPT = 60
_FORMATTING = ("format", "organizeImports", "assist/source/organizeImports")


class _Reader:
    """Collects a diagnostic from its heading to the next one."""

    def __init__(self, _paths: Paths) -> None:
        self._head: re.Match[str] | None = None
        self._at = 0
        self._last = 0
        self._blank = 0
        self._lines: list[str] = []

    @property
    def busy(self) -> bool:
        return self._head is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if "━" in text and (head := _HEAD.match(text)):
            done = self.close()
            self._head, self._at, self._last, self._lines, self._blank = head, line.number, line.number, [text], 0
            return done
        if self._head is None:
            return ()
        if text and not text.startswith(" "):
            return self.close()
        if len(self._lines) < _KEPT:
            self._lines.append(text)
        if text.strip():
            self._last = line.number
        return ()

    def close(self) -> Iterable[Finding]:
        head, self._head = self._head, None
        if head is None:
            return ()
        signs = [match for text in self._lines[1:] if (match := _SIGN.match(text))]
        first = next((match for match in signs if match["sign"] in _SIGNS), signs[0] if signs else None)
        if first is None or first["message"].startswith(_FOLLOWS):
            return ()
        return (_finding(head, first, signs, (self._at, self._last), "\n".join(self._lines).rstrip()),)


def _finding(
    head: re.Match[str], first: re.Match[str], signs: list[re.Match[str]], span: tuple[int, int], excerpt: str
) -> Finding:
    severity = _SIGNS.get(first["sign"], Severity.NOTE)
    fix = next((m["message"] for m in signs if m["message"].startswith(("Safe fix: ", "Unsafe fix: "))), None)
    return Finding(
        tool="biome",
        code=head["code"],
        category=_category(head["code"]),
        severity=severity,
        message=first["message"],
        file=head["file"],
        line=number(head["line"]),
        column=number(head["column"]),
        log_line=span[0],
        span=span,
        suggestion=fix,
        excerpt=excerpt,
        score={Severity.ERROR: 1.0, Severity.WARNING: 0.3, Severity.NOTE: 0.1}[severity],
    )


def _category(code: str) -> Category:
    if code in _FORMATTING:
        return Category.FORMAT
    if code == "parse" or code.startswith("syntax/"):
        return Category.SYNTAX
    if code.startswith("lint/security/"):
        return Category.SECURITY
    return Category.LINT if code.startswith(("lint", "assist", "suppressions", "plugin")) else Category.CONFIG


FORMAT = Format("biome", ("━━━",), _Reader)
