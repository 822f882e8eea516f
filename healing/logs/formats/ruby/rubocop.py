"""RuboCop and standardrb: offenses in the forms progress, clang, emacs, simple, quiet and fuubar."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_SAYS = (
    r"(?P<fixed>\[(?:Corrected|Todo)\] )?(?P<can>\[Correctable\] )?"
    r"(?:(?P<code>(?:[A-Z][A-Za-z0-9]{1,60}/){1,3}[A-Z]\w{1,80}): )?(?P<message>\S.*)$"
)
_ROW = re.compile(
    r"(?:# )?(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9}): "
    rf"(?P<level>[CWEFRIA]): {_SAYS}"
)
_STANDARD = re.compile(
    r"\s{0,4}(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9}): "
    r"(?P<fixed>\[Corrected\] )?(?P<code>(?:[A-Z][A-Za-z0-9]{1,60}/){1,3}[A-Z]\w{1,80}): (?P<message>\S.*)$"
)
_HEAD = re.compile(r"== (?P<file>\S.{0,400}?) ==$")
_SIMPLE = re.compile(rf"(?P<level>[CWEFRIA]):\s{{0,8}}(?P<line>\d{{1,9}}):\s{{0,8}}(?P<column>\d{{1,9}}): {_SAYS}")
_LEVELS = {"E": Severity.ERROR, "F": Severity.ERROR, "I": Severity.NOTE}


class _Reader:
    """Reads offenses; in the form `simple` the file is in a heading of its own."""

    def __init__(self, _paths: Paths) -> None:
        self._file: str | None = None

    @property
    def busy(self) -> bool:
        return self._file is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if head := _HEAD.match(text):
            self._file = head["file"]
            return ()
        if self._file is not None:
            if match := _SIMPLE.match(text):
                return (_finding(match, line, self._file),)
            if not text.strip():
                self._file = None
            return ()
        if match := _ROW.match(text):
            return (_finding(match, line, match["file"]),)
        if match := _STANDARD.match(text):
            return (_finding(match, line, match["file"], tool="standardrb"),)
        return ()

    def close(self) -> Iterable[Finding]:
        return ()


def _finding(match: re.Match[str], line: Line, file: str, tool: str = "rubocop") -> Finding:
    groups = match.groupdict()
    code = groups["code"]
    fixed = bool(groups["fixed"])
    severity = _LEVELS.get(groups.get("level") or "", Severity.WARNING)
    return Finding(
        tool=tool,
        code=code,
        category=_category(code or "", severity),
        severity=Severity.NOTE if fixed else Severity.ERROR if tool == "standardrb" else severity,
        message=groups["message"],
        file=file,
        line=number(groups["line"]),
        column=number(groups["column"]),
        log_line=line.number,
        excerpt=line.text,
        suggestion="Run rubocop -a on this file." if groups.get("can") else None,
        score=0.1 if fixed else 1.0,
    )


def _category(code: str, severity: Severity) -> Category:
    if code == "Lint/Syntax":
        return Category.SYNTAX
    if code.startswith("Security/"):
        return Category.SECURITY
    if code.startswith("Layout/"):
        return Category.FORMAT
    return Category.SYNTAX if severity is Severity.ERROR and not code else Category.LINT


_DEPARTMENTS = (
    "Style", "Layout", "Lint", "Metrics", "Naming", "Security", "Rails", "RSpec", "Performance", "Bundler", "Gemspec",
    "Standard", "Minitest", "Capybara", "FactoryBot", "Migration", "Rake", "Sorbet", "ThreadSafety", "Packaging",
    "Chef", "Sequel", "InternalAffairs", "GraphQL", "I18n",
)  # fmt: skip
FORMAT = Format(
    "rubocop",
    (" ==\n", *(f": {level}: " for level in "CWEFRIA"), *(f": {department}/" for department in _DEPARTMENTS)),
    _Reader,
)
