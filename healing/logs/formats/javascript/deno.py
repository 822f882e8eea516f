"""Deno: check and run (`… at file:///…` below), lint, fmt --check, test."""

import re
from collections.abc import Iterable

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format, number
from healing.logs.formats.javascript._failures import failure
from healing.logs.formats.javascript._stacks import blame, category, frame
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_TYPE = re.compile(r"(?P<code>TS\d{1,6}) \[(?P<level>ERROR|WARN)\]: (?P<message>.*)$")
_LINT = re.compile(r"(?P<level>error|warning)\[(?P<code>[a-z][a-z0-9-]{1,60})\]: (?P<message>\S.*)$")
_THROWN = re.compile(
    r"error: (?P<message>(?:Uncaught (?:\(in promise\) )?)?(?:\w{0,60}Error|Module not found"
    r"|Relative import path|The module's source).*)$"
)
_ARROW = re.compile(
    r"\s{0,8}--> (?P<file>\S.{0,400}?\.(?:[cm]?[jt]sx?|json|jsonc)):(?P<line>\d{1,9}):(?P<column>\d{1,9})$"
)
_COMPACT = re.compile(
    r"(?P<file>file:///\S[^:]{0,400}): line (?P<line>\d{1,9}), col (?P<column>\d{1,9}) - "
    r"(?P<message>.*) \((?P<code>[a-z][a-z0-9-]{1,60})\)$"
)
_UNFORMATTED = re.compile(r"from (?P<file>/\S.{0,400}|[A-Za-z]:\S.{0,400}):$")
_TEST = re.compile(r"(?P<title>\S.{0,400}) => (?P<file>\S.{0,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9})$")
_HELD = re.compile(r"(?:docs: https://docs\.deno|from )")
_KEPT = 40


class _Reader:
    """Holds a message until the place below it; reads failed tests between ` ERRORS ` and ` FAILURES `."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._errors = False
        self._test: FailedTestOutput | None = None
        self._header: re.Match[str] | None = None
        self._lines: list[Line] = []

    @property
    def busy(self) -> bool:
        return self._errors or self._header is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if text.strip() in ("ERRORS", "FAILURES"):
            done = (*self._tested(), *self._placed())
            self._errors = text.strip() == "ERRORS"
            return done
        if self._errors:
            return self._in_tests(line)
        match = _TYPE.match(text) or _LINT.match(text) or _THROWN.match(text)
        if match or (self._header and len(self._lines) > _KEPT):
            done = tuple(self._placed())
            self._header, self._lines = match, [line]
            return done
        if self._header:
            self._lines.append(line)
            return self._placed() if _ARROW.match(text) or (not text.strip() and self._has_place()) else ()
        return _one_line(line)

    def close(self) -> Iterable[Finding]:
        self._errors = False
        return (*self._tested(), *self._placed())

    def _in_tests(self, line: Line) -> Iterable[Finding]:
        if head := _TEST.match(line.text):
            done = self._tested()
            self._test = FailedTestOutput(
                head["title"], line.number, head["file"], int(head["line"]), int(head["column"])
            )
            return done
        if self._test:
            self._test.add(line)
        return ()

    def _tested(self) -> Iterable[Finding]:
        block, self._test = self._test, None
        if block is not None:
            block.lines = _without_source(block.lines)
        return (failure("deno", block, self._paths, preamble=_HELD),) if block else ()

    def _has_place(self) -> bool:
        return any(frame(line.text) for line in self._lines)

    def _placed(self) -> Iterable[Finding]:
        match, lines, self._header = self._header, self._lines, None
        if match is None:
            return ()
        groups = match.groupdict()
        arrow = next((m for line in lines if (m := _ARROW.match(line.text))), None)
        place = blame([f for line in lines if (f := frame(line.text))], self._paths)
        if arrow is None and place is None:
            return ()
        file, row, column = (arrow["file"], arrow["line"], arrow["column"]) if arrow else ("", "", "")
        error = groups.get("level") not in ("warning", "WARN")
        code = groups.get("code")
        message = groups["message"].removeprefix("Uncaught ").removeprefix("(in promise) ")
        kind = Category.TYPE if code and code.startswith("TS") else Category.LINT if code else Category.RUNTIME
        return (
            Finding(
                tool="deno",
                code=code,
                category=category(message.partition(":")[0], message, kind) if kind is Category.RUNTIME else kind,
                severity=Severity.ERROR if error else Severity.WARNING,
                message=message,
                file=file or (place.file if place else None),
                line=number(row) or (place.line if place else None),
                column=number(column) or (place.column if place else None),
                log_line=lines[0].number,
                span=(lines[0].number, lines[-1].number),
                excerpt="\n".join(line.text for line in lines).rstrip(),
                score=1.0 if error else 0.2,
            ),
        )


def _without_source(lines: list[str]) -> list[str]:
    """The lines without the source line and caret between message and stack, and without `error: `."""
    caret = next((at for at, text in enumerate(lines) if text.strip() and not text.strip(" ^~")), 0)
    kept = lines[: caret - 1] + lines[caret + 1 :] if caret > 1 else lines
    return [text.removeprefix("error: ") for text in kept]


def _one_line(line: Line) -> Iterable[Finding]:
    lint = _COMPACT.match(line.text)
    match = lint or _UNFORMATTED.match(line.text)
    if match is None:
        return ()
    return (
        Finding(
            tool="deno",
            code=match["code"] if lint else "unformatted",
            category=Category.LINT if lint else Category.FORMAT,
            message=match["message"] if lint else "not formatted",
            file=match["file"],
            line=number(match["line"]) if lint else None,
            column=number(match["column"]) if lint else None,
            log_line=line.number,
            excerpt=line.text,
            suggestion=None if lint else "Run deno fmt on this file.",
        ),
    )


FORMAT = Format(
    "deno", (" [ERROR]: ", "error[", "warning[", "error: ", " ERRORS", "file:///", "from /"), _Reader, before=0
)
