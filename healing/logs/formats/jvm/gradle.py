"""Gradle: what went wrong, its causes and its place in a build script; nothing if a task's tool reported the errors."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_WRONG = "* What went wrong:"
_WHERE = re.compile(
    r"(?:Build file|Settings file|Script|Initialization script"
    r"|Precompiled script plugin) '(?P<file>[^']{1,500})'(?: line: (?P<line>\d{1,9}))?$"
)
_END = re.compile(r"\* (?:Try|Exception is|Get more help)|={5,}|-{20,}|BUILD FAILED|Deprecated Gradle")
_IDLE = re.compile(r"\s{0,8}>? ?(?:Execution failed for task|A failure occurred while executing|Multiple task action)")
_ECHO = re.compile(
    r"\s{0,8}>? ?(?:There (?:were|are) (?:failing tests|test failures)|.{0,200}[Cc]ompilation (?:error|failed)"
    r"|.{0,80}Compile failed|Lint found (?:errors|fatal)|.{0,200}(?:violations?|issues) w(?:ere|as) found"
    r"|.{0,40}[Ll]int found"
    r"|.{0,80}finished with non-zero exit value|Analysis failed with|Failed with exit code|Process '(?:command"
    r"|Gradle Test)"
    r"|The following files had format violations|.{0,80}found in the (?:main|test) sources)"
)
_DEPENDENCY = re.compile(
    r".{0,40}Could not (?:resolve|find (?!method|property|matching)|download|GET|get resource)"
    r"|.{0,80}Plugin \[id: "
)
_LINES = 40


class _Reader:
    """Reads from `What went wrong` to `Try`, with `Where` before it."""

    def __init__(self, _paths: Paths) -> None:
        self._where: re.Match[str] | None = None
        self._first = 0
        self._lines: list[str] = []

    @property
    def busy(self) -> bool:
        return bool(self._lines)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if text == _WRONG:
            done = self.close()
            self._first, self._lines = line.number, [text]
            return done
        if match := _WHERE.match(text):
            self._where = match
            return ()
        if not self._lines:
            return ()
        if _END.match(text) or len(self._lines) >= _LINES or text.startswith("* "):
            return self.close()
        self._lines.append(text)
        return ()

    def close(self) -> Iterable[Finding]:
        lines, self._lines, where = self._lines, [], self._where
        words = [text for text in lines[1:] if text.strip()]
        if not words:
            return ()
        self._where = None
        reasons = [text for text in words if not _IDLE.match(text)]
        if not reasons or any(_ECHO.match(text) for text in reasons):  # the task's own tool has reported it
            return ()
        message = " ".join(text.strip() for text in words[:6])
        return (
            Finding(
                tool="gradle",
                category=_category(message, words),
                message=message,
                file=where["file"] if where else None,
                line=int(where["line"]) if where and where["line"] else None,
                log_line=self._first + 1,
                span=(self._first, self._first + len(lines) - 1),
                excerpt="\n".join(lines),
                score=0.8,
            ),
        )


def _category(message: str, words: list[str]) -> Category:
    if any(_DEPENDENCY.match(text) for text in words):
        return Category.DEPENDENCY
    if re.search(r"script compilation error|Could not compile (?:build|settings) file", message):
        return Category.SYNTAX
    return Category.CONFIG if "Execution failed for task" not in message else Category.RUNTIME


FORMAT = Format(
    "gradle",
    (_WRONG, "* Where:", "Build file '", "Settings file '", "Script '", "nitialization script '"),
    _Reader,
    before=0,
)
