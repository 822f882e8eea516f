"""javac, scalac and groovyc: `file:line: error: message`, further lines below it, and the caret that ends it.

Also after ant's `[javac]`, in Gradle, Bazel and error-prone, and the JDK's raw diagnostics (`compiler.err.…`).
"""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_PREFIX = (
    r"(?:\[(?!ERROR|WARN|INFO|error|warn)[\w ./-]{1,20}\]\s{1,6}){0,2}\s{0,8}"
    r"(?:\[(?i:javac|scalac|groovyc|javadoc|ant:\w{1,20}|exec)\]\s{1,4})?"
)
_HEAD = re.compile(
    rf"{_PREFIX}(?:e: )?(?P<file>(?:[A-Za-z]:[\\/])?[^\s:\[\"'(][^:\"\[\]]{{0,400}}?\.(?P<ending>java|scala|groovy|aj"
    rf"|sc)|module-info\.java)"
    r":(?P<line>\d{1,9}): (?:(?P<level>error|warning|Note|note|\S{1,40}(?=: \[)):\s{1,4})?"
    r"(?:\[(?P<code>[\w.-]{2,60})\]\s{1,4})?(?P<message>\S.*)$"
)
_RAW = re.compile(
    r"(?:(?P<file>[^\s:][^:]{0,400}\.java):(?P<line>\d{1,9}):(?P<column>\d{1,9})|-): "
    r"compiler\.(?P<level>err|warn|note|misc)\.(?P<code>[\w.-]{2,80})(?:: (?P<message>.*))?$"
)
_BARE = re.compile(
    rf"{_PREFIX}(?P<level>error|warning): (?:\[(?P<code>[\w.-]{{2,60}})\] )?"
    r"(?P<message>(?:file not found: |release version \d|invalid (?:source|target) release|warnings found and -Werror"
    r"|no source files|error reading |error while writing |(?:source|target) (?:release|value|option) |option -{1,2}\w"
    r"|system modules path|bootstrap class path|[Cc]lass names, '|module not found|package \S{1,200} (?:does|is)"
    r"|unmatched |Annotation processor|annotation processing|bad class file|cannot access \w{1,80}(?:\.\w|$)"
    r"|the unnamed module|automatic module|Supported source version|\[options\]).*)$"
)
_CARET = re.compile(r"\s{0,400}\^\s*$")
_DETAIL = re.compile(
    r"\s{0,8}(?P<what>symbol|location|required|found|reason|equality constraints|lower bounds"
    r"|where .{1,80})\s{0,4}:\s{0,4}(?P<value>\S.*)$"
)
_HINT = re.compile(r"\s{2,8}Did you mean '(?P<hint>.*)'\?$")
_SEE = re.compile(r"\s{2,8}\(see \S{1,200} ?\)$")
_TOTAL = re.compile(r"\d{1,6} (?:errors?|warnings?)$|(?:one|two|\w{3,6}) (?:errors?|warnings?) found$|Note: |> Task ")
_BUILDER = re.compile(r"\s{0,12}\[(?:javac|scalac|groovyc|\w{2,12}Step)\] ")
_TOOLS = {"java": "javac", "aj": "ajc", "groovy": "groovyc"}
_LINES = 40


class _Reader:
    """Reads errors; busy from the first line until the caret, and while indented hints follow."""

    def __init__(self, _paths: Paths) -> None:
        self._head: re.Match[str] | None = None
        self._at = 0
        self._last = 0
        self._lines: list[str] = []
        self._pointed = False

    @property
    def busy(self) -> bool:
        return self._head is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if match := _match(text):
            done = self.close()
            self._head, self._at, self._last, self._lines, self._pointed = (
                match,
                line.number,
                line.number,
                [text],
                False,
            )
            return done
        if self._head is None or self._joins(text, line):
            return ()
        return self.close()

    def close(self) -> Iterable[Finding]:
        head, self._head = self._head, None
        if head is None:
            return ()
        if not self._pointed:  # no code frame: the following lines may be another tool's
            self._lines, self._last = self._kept(), self._at
        return (_finding(head, self._at, self._last, self._lines),)

    def _kept(self) -> list[str]:
        end = next((i for i, text in enumerate(self._lines[1:], 1) if not _DETAIL.match(text)), len(self._lines))
        return self._lines[:end]

    def _joins(self, text: str, line: Line) -> bool:
        text = _BUILDER.sub("", text)
        if len(self._lines) >= _LINES or _TOTAL.match(text):
            return False
        if self._pointed and not text.startswith("  "):
            return False
        self._pointed = self._pointed or bool(_CARET.match(text))
        self._lines.append(text)
        self._last = line.number
        return True


def _match(text: str) -> re.Match[str] | None:
    if ": " not in text or len(text) > 8000:
        return None
    if match := _RAW.match(text):
        return match
    match = _HEAD.match(text)
    if match and (match["level"] or match["ending"] in ("groovy",) or "[javac]" in text[:40]):
        return match
    return _BARE.match(text)


def _finding(head: re.Match[str], at: int, last: int, lines: list[str]) -> Finding:
    groups = head.groupdict()
    level = (groups["level"] or "error").lower()
    severity = Severity.WARNING if level.startswith("warn") else Severity.NOTE if level == "note" else Severity.ERROR
    column = next((len(t.rstrip()) for t in lines[1:] if _CARET.match(t)), None)
    hint = next((m["hint"] for t in lines if (m := _HINT.match(t))), None)
    message = groups["message"] or groups["code"]
    details = [m for t in lines[1:] if (m := _DETAIL.match(t))]
    return Finding(
        tool=_TOOLS.get(groups.get("ending") or "java", "scalac"),
        code=groups["code"],
        category=_category(message, severity),
        severity=severity,
        message=message,
        file=groups.get("file"),
        line=int(groups["line"]) if groups.get("line") else None,
        column=int(groups["column"]) if groups.get("column") else column,
        log_line=at,
        span=(at, last) if last > at else None,
        related=tuple(Related(message=f"{m['what'].strip()}: {m['value'].strip()}") for m in details[:10]),
        suggestion=hint,
        excerpt="\n".join(lines),
        score={Severity.ERROR: 1.0, Severity.WARNING: 0.2, Severity.NOTE: 0.1}[severity],
    )


def _category(message: str, severity: Severity) -> Category:
    if severity is not Severity.ERROR:
        return Category.LINT
    if re.match(
        r"package \S+ (?:does not exist|is not visible)|module not found|object \S+ is not a member of package", message
    ):
        return Category.IMPORT
    if re.search(
        r" expected(?: but |$)|illegal (?:start|character)|reached end of file|unclosed |not a statement|orphaned",
        message,
    ):
        return Category.SYNTAX
    if re.match(r"incompatible types|type mismatch|.{0,80}cannot be (?:applied|converted)", message):
        return Category.TYPE
    return Category.COMPILE


FORMAT = Format(
    "javac",
    (
        *(f".{ending}:{digit}" for ending in ("java", "scala", "groovy", "aj", "sc") for digit in range(1, 10)),
        "compiler.err.", "compiler.warn.", "compiler.note.", "error: ", "warning: [",
    ),
    _Reader,
    before=0,
)  # fmt: skip
