"""RSpec: the numbered failures, files that could not be loaded, and the list of failed examples."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format, number
from healing.logs.formats.ruby._stacks import RubyFrame, blame, category, comparison, frame
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_HEAD = re.compile(r"\s{1,4}\d{1,6}\) (?P<title>\S.*)$")
_LOADING = re.compile(
    r"An error occurred "
    r"(?:while loading (?P<file>\S{1,400}?)\.?|in an? `?(?P<hook>[\w:()]{1,40})`? hook.{0,80})(?: - Did.*)?$"
)
_LISTED = re.compile(
    r"rspec (?P<at>['\"]?(?P<file>\./[^\s:\[#'\"]{1,400}|[^\s:\[#'\"]{1,400}\.rb)"
    r"(?::(?P<line>\d{1,9})|\[[\d:,]{1,80}\])?['\"]?) # (?P<title>\S.*)$"
)
_END = re.compile(
    r"(?:Finished in |Failed examples:|Top \d|Randomized with|Run options:|Coverage report|\d+ examples?, )"
)
_FAILURE = re.compile(r"\s{0,12}(?:\d{1,4}\.\d{1,4}\) )?Failure/Error:\s{0,4}(?P<code>.*)$")
_ASIDE = re.compile(r"Got \d+ failures?|\(compared using|Diff:|@@ |Shared Example Group:|# Showing full|Did you mean")
_BROKEN = re.compile(r"SyntaxError: (?P<file>(?:[A-Za-z]:)?[^:]{1,400}):(?P<line>\d{1,9}): ")
_LIMIT = 5_000


class _Reader:
    """Holds failures until the list of failed examples, which has the places of those without a frame."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._state = ""  # "", failures, loading, list
        self._block: FailedTestOutput | None = None
        self._held: dict[str, Finding] = {}

    @property
    def busy(self) -> bool:
        return self._state != "" or bool(self._held)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text.rstrip()
        if text == "Failures:":
            self._finish()
            self._state = "failures"
        elif match := _LOADING.match(text):
            self._finish()
            self._state = "loading"
            self._block = FailedTestOutput(match["file"] or f"{match['hook']} hook", line.number, file=match["file"])
        elif text == "Failed examples:":
            self._finish()
            self._state = "list"
        elif self._state == "list" or text.startswith("rspec "):
            return self._in_list(text, line)
        elif self._state:
            self._inside(text, line)
        return ()

    def close(self) -> Iterable[Finding]:
        self._finish()
        held, self._held, self._state = list(self._held.values()), {}, ""
        return held

    def _inside(self, text: str, line: Line) -> None:
        if _END.match(text):
            self._finish()
            self._state = ""
        elif self._state == "failures" and (head := _HEAD.match(text)):
            self._finish()
            self._block = FailedTestOutput(head["title"], line.number)
        elif self._block:
            self._block.add(line)

    def _in_list(self, text: str, line: Line) -> Iterable[Finding]:
        match = _LISTED.match(text)
        if match is None:
            return self.close() if text and self._held else ()
        title, held = match["title"], self._held.get(match["title"])
        if held is None:
            self._hold(Finding(
                tool="rspec", category=Category.TEST, message=f"{title} failed", test=title, file=match["file"],
                line=number(match["line"]), log_line=line.number, excerpt=text,
            ))  # fmt: skip
        elif held.file is None:
            self._held[title] = replace(held, file=match["file"], line=number(match["line"]))
        return ()

    def _finish(self) -> None:
        block, self._block = self._block, None
        if block and block.lines:
            self._hold(_failure(block, self._paths, test=self._state == "failures"))

    def _hold(self, finding: Finding) -> None:
        key = finding.test or f"{finding.file}:{finding.log_line}"
        if len(self._held) < _LIMIT:
            self._held.setdefault(key if key not in self._held else f"{key} {finding.log_line}", finding)


def _failure(block: FailedTestOutput, paths: Paths, *, test: bool) -> Finding:
    code, message_lines = _words(block.lines)
    message = message_lines or code or block.title
    frames = [place for text in block.lines if (place := frame(text)) and not text.strip().startswith("rspec ")]
    if broken := _BROKEN.match(message):
        frames.insert(0, RubyFrame(broken["file"], int(broken["line"])))
    place = blame(frames, paths)
    expected, actual = comparison(block.lines)
    return Finding(
        tool="rspec",
        category=category(message, Category.TEST if test else Category.RUNTIME),
        message=message,
        file=place.file if place else block.file,
        line=place.line if place else None,
        log_line=block.first,
        span=(block.first, max(block.first, block.last)),
        related=tuple(f.related() for f in reversed(frames[:30])),
        test=block.title if test else None,
        expected=expected,
        actual=actual,
        excerpt="\n".join([block.title, *block.lines]).rstrip(),
    )


def _words(lines: Sequence[str]) -> tuple[str, str]:
    """(the failed code, the message after it), each in one line."""
    code: list[str] = []
    message_lines: list[str] = []
    at_code = False
    for text in (text.strip() for text in lines):
        if match := _FAILURE.match(text):
            if code and message_lines:  # a second failure of the same example
                break
            at_code, code, message_lines = True, [match["code"]], []
        elif (frame(text) and text.startswith("#")) or set(text) == {"^"}:
            break
        elif not text:
            at_code = at_code and code == [""]
        elif at_code:
            code.append(text)
        elif _ASIDE.match(text):
            if message_lines:
                break
        elif len(message_lines) < 8 and text not in code:
            message_lines.append(text)
    return " ".join(code).strip(), " ".join(message_lines)


FORMAT = Format("rspec", ("Failures:\n", "An error occurred ", "rspec ./", "rspec './", "Failed examples:"), _Reader)
