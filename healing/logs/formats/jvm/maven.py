"""Maven: errors of its plugins at a place (javac, kotlinc, scalac, checkstyle, javadoc), of its model, and of goals."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_LEVEL = (
    r"(?:\S{1,30}\s{1,4})?(?:\[[\w -]{1,30}\]\s{1,4})?(?P<lead>\d\d:\d\d\S{0,20}\s{1,4})?"
    r"\[(?P<level>ERROR|WARNING|WARN)\]\s{1,6}"
)
_FILE = r"(?P<file>(?:/?[A-Za-z]:[\\/]|/)?[^\s:\[\]()][^:\[\]]{0,400}?\.\w{1,10})"
_AT = re.compile(
    rf"{_LEVEL}(?:file:)?{_FILE}:\s?[\[(](?P<line>\d{{1,9}})(?:,\s?(?P<column>\d{{1,9}}))?[\])]:?\s{{1,4}}"
    r"(?:\[(?P<code>[\w.-]{2,60})\] )?(?:\((?P<group>[a-z]{2,30})\) (?P<rule>[A-Z]\w{2,60}): )?(?P<message>\S.*)$"
)
_COLONS = re.compile(
    rf"{_LEVEL}{_FILE}:(?P<line>\d{{1,9}})(?::(?P<column>\d{{1,9}}))?:\s{{1,4}}(?:(?P<said>error|warning)(?:: |\s-\s))?"
    r"(?P<message>\S.*?)(?: \[(?P<rule>[A-Z]\w{2,60})\])?$"
)
_MODEL = re.compile(
    r"\[(?P<level>ERROR|FATAL"
    r"|WARNING)\]\s{1,8}"
    r"(?P<message>\S.*?)(?:(?: @ ?(?P<where>[\w.:-]{0,200}))?,? @?\s?(?P<file>[\w./\\:-]{1,400}pom\.xml))?,?"
    r" ?@?,? ?line (?P<line>\d{1,9}), column (?P<column>\d{1,9})(?: -> .*)?$"
)
_GOAL = re.compile(
    r"\[ERROR\] Failed to execute goal "
    r"(?P<goal>[\w.:-]{1,200})?(?: \([\w.-]{1,80}\))? ?on project (?P<project>[\w.-]{1,100}): (?P<message>\S.*?)"
    r"(?: -> \[Help \d\])?$"
)
_SEVERE = re.compile(
    r"\[(?:ERROR|FATAL)\]\s{1,8}(?P<message>(?:Non-resolvable|Non-parseable|Unresolveable"
    r"|Plugin \S{1,200} or one of its|Unknown lifecycle phase"
    r"|No plugin found for prefix|Could not find goal|The goal you specified|Could not find the selected project"
    r"|Child module|Malformed POM"
    r"|Unknown packaging|Rule \d{1,4}: |No goals have been specified).*?)(?: -> \[Help \d\])?$"
)
_ECHO = re.compile(
    r"(?:Compilation failure|Command execution failed|An Ant BuildException"
    r"|There (?:are|were) (?:some )?test (?:failures|errors)|There (?:are|is) \d"
    r"|You have \d|Failed during checkstyle|.{0,80}Checkstyle violations"
    r"|Could not resolve dependencies|The following files had format|MojoFailureException|Some Enforcer rules"
    r"|failed with \d|PMD )"
)
_LEVELS = ("ERROR", "FATAL")
_MORE = re.compile(r"(?:\[(?:ERROR|WARNING)\]\s{0,2})?(?P<text>\s{2,8}\S.*)$")
_SEE = re.compile(r"\s{2,8}\(see |\s{2,8}Did you mean '")
_LINES = 12


class _Reader:
    """Reads errors; further lines of a message are indented."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if len(text) > 8000:
            return self.close()
        finding = _finding(text, line) if "[" in text[:60] else None
        if finding is None:
            return () if self._open and self._joins(text, line) else self.close()
        done = self.close()
        self._open = finding
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done else ()

    def _joins(self, text: str, line: Line) -> bool:
        error, match = self._open, _MORE.match(text)
        if error is None or match is None or error.excerpt.count("\n") >= _LINES or error.file is None:
            return False
        words = match["text"].strip()
        note = () if _SEE.match(match["text"]) else (Related(message=words),)
        hint = words.removeprefix("Did you mean '").removesuffix("'?") if words.startswith("Did you mean '") else None
        self._open = replace(
            error,
            related=(*error.related, *note),
            suggestion=error.suggestion or hint,
            span=(error.log_line, line.number),
            excerpt=f"{error.excerpt}\n{text}",
        )
        return True


def _finding(text: str, line: Line) -> Finding | None:
    if match := _AT.match(text) or _COLONS.match(text):
        return _placed(match, line)
    if match := _MODEL.match(text):
        return _weak(match, line, 1.0)
    if match := _SEVERE.match(text):
        return _weak(match, line, 0.9)
    if (match := _GOAL.match(text)) and "ould not resolve" in match["message"]:
        return _weak(match, line, 0.9, Category.DEPENDENCY)
    return None


def _placed(match: re.Match[str], line: Line) -> Finding | None:
    groups = match.groupdict()
    message, extra = groups["message"], groups.get("said")
    if "://" in groups["file"] or (groups.get("lead") and line.text.startswith(" ")):
        return None
    severity = Severity.ERROR if groups["level"] in _LEVELS and extra != "warning" else Severity.WARNING
    if extra == "warning" and groups["file"].endswith(".java"):  # javadoc's warnings, which don't fail the build
        severity = Severity.NOTE
    code = groups.get("code") or groups.get("rule")
    tool = _tool(groups["file"], groups)
    lint = tool == "checkstyle" or severity is Severity.WARNING
    return Finding(
        tool=tool,
        code=code,
        category=Category.LINT if lint else _category(message),
        severity=severity,
        message=message,
        file=groups["file"].lstrip("/") if groups["file"][2:3] == ":" else groups["file"],
        line=number(groups["line"]),
        column=number(groups["column"]),
        log_line=line.number,
        excerpt=line.text,
        score=1.0 if severity is Severity.ERROR else 0.2,
    )


def _tool(file: str, groups: dict[str, str | None]) -> str:
    if groups.get("rule"):
        return "checkstyle"
    ending = file.rpartition(".")[2]
    return {"java": "javac", "kt": "kotlinc", "kts": "kotlinc", "scala": "scalac", "groovy": "groovyc"}.get(
        ending, "maven"
    )


def _category(message: str) -> Category:
    if re.match(r"package \S+ does not exist|[Uu]nresolved reference", message):
        return Category.IMPORT
    if re.search(r" expected$|illegal (?:start|character)|reached end of file|unclosed |not a statement", message):
        return Category.SYNTAX
    return Category.TYPE if re.match(r"incompatible types|[Tt]ype mismatch", message) else Category.COMPILE


def _weak(match: re.Match[str], line: Line, score: float, what: Category = Category.CONFIG) -> Finding:
    groups = match.groupdict()
    warning = groups.get("level") == "WARNING"
    return Finding(
        tool="maven",
        category=Category.DEPENDENCY if "resolvable" in groups["message"] else what,
        severity=Severity.WARNING if warning else Severity.ERROR,
        message=groups["message"],
        file=groups.get("file") or ("pom.xml" if groups.get("line") else None),
        line=number(groups.get("line")),
        column=number(groups.get("column")),
        log_line=line.number,
        excerpt=line.text,
        score=0.2 if warning else score,
    )


class _Goals:
    """Reads failed goals whose message is more than a reference to errors above."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        pass

    def read(self, line: Line) -> Iterable[Finding]:
        match = _GOAL.match(line.text) if len(line.text) < 8000 else None
        return (_weak(match, line, 0.5, Category.RUNTIME),) if match and not _ECHO.match(match["message"]) else ()

    def close(self) -> Iterable[Finding]:
        return ()


FORMATS = (
    Format("maven", ("[ERROR] ", "[WARNING] ", "[WARN] ", "[FATAL] "), _Reader, before=0),
    Format("maven-goal", ("Failed to execute goal ",), _Goals, rank=1, before=0),
)
