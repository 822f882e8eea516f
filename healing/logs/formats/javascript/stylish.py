"""ESLint's stylish listing, which oxlint, solhint, html-validate and others print too; TSLint's; XO's pretty one."""

import re

from healing.logs.format import Finding, Format, number
from healing.logs.formats.javascript._listing import ListingReader, split_rule
from healing.logs.lines import Line
from healing.model import Category, Severity

_ROW = re.compile(
    r"\s{1,8}(?P<line>\d{1,9}):(?P<column>\d{1,9})\s{1,8}(?P<level>error|warning|info|warn)\s{1,8}(?P<message>\S.*)$"
)
_PRETTY = re.compile(r"\s{1,4}(?P<level>[✖⚠])\s{1,10}(?P<line>\d{1,9}):(?P<column>\d{1,9})\s{1,8}(?P<message>\S.*)$")
_TSLINT = re.compile(
    r"(?P<level>ERROR|WARNING):\s{1,4}(?P<line>\d{1,9}):(?P<column>\d{1,9})\s{2,8}(?P<code>[\w-]{2,60})\s{2,40}(?P<message>\S.*)$"
)
# vfile's rows end with rule and source, yamllint's with a rule in brackets, Vale's with one that has a dot; Spectral's
# start with the rule. All of these have formats of their own.
_OTHERS = re.compile(
    r"(?:\s[\w-]{2,60}\s{1,20}(?:remark|retext|rehype|unified|alex)[\w-]{0,40}|\s\([\w-]{2,60}\)"
    r"|\s\s[A-Z]\w{0,40}\.[\w-]{2,60})\s{0,9}$"
)
_RULE_FIRST = re.compile(r"[a-z]\w{0,40}(?:-\w{1,40}){1,8}\s{2,80}[A-Z`'\"]\S{0,80} \S")
_LEVELS = {"error": Severity.ERROR, "✖": Severity.ERROR, "info": Severity.NOTE}


def _row(file: str, match: re.Match[str], line: Line) -> Finding | None:
    if _OTHERS.search(line.text[-140:]) or _RULE_FIRST.match(match["message"]):
        return None
    groups = match.groupdict()
    message, code = split_rule(match["message"])
    code = groups.get("code") or code
    return Finding(
        tool="tslint" if "code" in groups else "oxlint" if code and "(" in code else "eslint",
        code=code,
        category=category(code, message),
        severity=_LEVELS.get(match["level"].lower(), Severity.WARNING),
        message=message,
        file=file,
        line=number(match["line"]),
        column=number(match["column"]),
        log_line=line.number,
        excerpt=line.text,
        score=1.0 if match["level"] in ("error", "ERROR", "✖") else 0.2,
    )


def category(code: str | None, message: str) -> Category:
    """The category of a JavaScript linter's rule."""
    if message.startswith("Parsing error") or code == "CssSyntaxError":
        return Category.SYNTAX
    if code and code.endswith(("prettier/prettier", "/format")):
        return Category.FORMAT
    if code and ("import/no-unresolved" in code or "no-missing-" in code):
        return Category.IMPORT
    return Category.SECURITY if code and code.startswith("security/") else Category.LINT


FORMATS = (
    Format("eslint", ("  error  ", "  warning  ", "  info  "), lambda _: ListingReader(_ROW, _row, wrapped=True)),
    Format("xo", ("  ✖  ", "  ⚠  "), lambda _: ListingReader(_PRETTY, _row)),
    Format("tslint-stylish", ("ERROR: ", "WARNING: "), lambda _: ListingReader(_TSLINT, _row)),
)
