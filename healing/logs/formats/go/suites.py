"""Ginkgo and gocheck: the failed specs, which are one test to the surrounding `go test`."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_GOCHECK = re.compile(r"(?P<how>FAIL|PANIC): (?P<file>\S{1,300}\.go):(?P<line>\d{1,9}): (?P<name>[\w.]{1,200})$")
_SPOT = re.compile(r"(?:\.\.\. )?(?P<file>\S{1,300}\.go):(?P<line>\d{1,9}):?$")
_VALUE = re.compile(r"\.\.\. (?P<key>obtained|expected)(?: [^=]{1,200})? = (?P<value>.*)$")
_DOTS = re.compile(r"\.\.\. (?P<text>\S.*)$")
_SUMMARY = re.compile(
    r"\s{0,4}\[(?P<how>Fail|FAIL|PANICKED!?|Panic!|TIMEDOUT|INTERRUPTED)\]\s{1,4}(?P<name>\S.{0,500}?)\s{0,4}$"
)
_PLACE = re.compile(r"\s{0,4}(?P<file>\S{1,400}\.go):(?P<line>\d{1,9})$")
_REASON = re.compile(r"\s{1,8}\[(?:FAILED|PANICKED|TIMEDOUT)\] (?P<text>\S.*)$")
_AT = re.compile(r"\s{1,8}In \[[\w ]{1,40}\] at: (?P<file>\S{1,400}\.go):(?P<line>\d{1,9})")
_LINES, _REASONS = 20, 2_000


class _Reader:
    """Ginkgo's summary has each spec and its place; the reasons are in the report above it, by place."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None  # a spec of gocheck, or one of ginkgo's summary whose place is still to come
        self._reason: list[str] = []
        self._reasons: dict[str, str] = {}

    @property
    def busy(self) -> bool:
        return self._open is not None or bool(self._reason)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if self._reason:
            self._explain(text)
            return ()
        if match := _GOCHECK.match(text):
            done = self.close()
            self._open = _finding("gocheck", match["name"], line, match["file"], number(match["line"]))
            return done
        if match := _SUMMARY.match(text):
            done = self.close()
            self._open = _finding("ginkgo", match["name"], line)
            return done
        if match := _REASON.match(text):
            self._reason = [match["text"]]
            return ()
        return self._inside(self._open, line) if self._open is not None else ()

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done else ()

    def _explain(self, text: str) -> None:
        if match := _AT.match(text):
            if len(self._reasons) < _REASONS:
                self._reasons[f"{match['file']}:{match['line']}"] = "\n".join(self._reason)
            self._reason = []
        elif len(self._reason) > _LINES or not text.startswith(" "):
            self._reason = []
        else:
            self._reason.append(text.strip())

    def _inside(self, error: Finding, line: Line) -> Iterable[Finding]:
        text = line.text
        if error.tool == "ginkgo":
            if place := _PLACE.match(text):
                reason = self._reasons.get(text.strip(), error.message)
                self._open = replace(error, file=place["file"], line=number(place["line"]), message=reason)
            return self.close()
        if text.startswith(("OOPS", "----", "=====", "FAIL", "OK")) or error.excerpt.count("\n") > _LINES:
            return self.close()
        error = replace(error, excerpt=f"{error.excerpt}\n{text}", span=(error.log_line, line.number))
        if spot := _SPOT.match(text):
            error = replace(error, file=spot["file"], line=number(spot["line"]))
        elif value := _VALUE.match(text):
            obtained = value["key"] == "obtained"
            error = replace(
                error,
                actual=value["value"] if obtained else error.actual,
                expected=error.expected if obtained else value["value"],
            )
        elif dots := _DOTS.match(text):
            error = replace(error, message=dots["text"])
        elif text.startswith("    ") and error.message == "failed":
            error = replace(error, message=text.strip())
        self._open = error
        return ()


def _finding(tool: str, name: str, line: Line, file: str | None = None, row: int | None = None) -> Finding:
    return Finding(
        tool=tool,
        category=Category.TEST,
        message="failed",
        file=file,
        line=row,
        test=name,
        log_line=line.number,
        excerpt=line.text,
    )


FORMAT = Format(
    "go-suites",
    ("FAIL: ", "PANIC: ", "[Fail] ", "[FAIL] ", "[Panic!] ", "[PANICKED", "[FAILED] ", "[TIMEDOUT]", "[INTERRUPTED]"),
    _Reader,
)
