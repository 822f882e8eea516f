""".NET stack traces: frames, the frame to blame, and the values of a failed assertion. Shared by the .NET formats."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from healing.logs.paths import Paths
from healing.model import Related

_FRAME = re.compile(
    r"\s{0,20}at (?P<owner>[^\n]{1,600}?) in (?P<file>[^\n]{1,400}?):(?:line (?P<line>\d{1,9})"
    r"|(?P<row>\d{1,9}))\s*$"
)
_XUNIT = re.compile(
    r"\s{0,20}(?P<file>(?:[A-Za-z]:[\\/]|/)?[^\s():][^():\n]{0,400}\.(?:cs|fs"
    r"|vb))\((?P<line>\d{1,9}),\d{1,9}\): at (?P<owner>\S.*)$"
)
_ANY = re.compile(r"\s{0,20}(?:at \S.{0,600}[)\]>](?: in .*)?$|--- End of (?:stack|inner)|\d{1,3}\)\s{1,3}at )")
_ACTUAL = re.compile(r"\s{0,12}(?:But was|Actual|Received):\s{1,8}(?P<value>.*)$")
_MSTEST = re.compile(r".{0,80}Expected:<(?P<expected>.{0,800}?)>\. Actual:<(?P<actual>.{0,800}?)>")
_PLAIN = re.compile(r"\s{0,12}Expected:\s{1,8}(?P<value>.*)$")


@dataclass(frozen=True, slots=True)
class DotnetFrame:
    """One stack frame; lists of them are innermost first."""

    file: str
    line: int
    owner: str = ""

    def related(self) -> Related:
        """The frame as a place that belongs to an error."""
        return Related(file=self.file, line=self.line, message=f"in {self.owner}" if self.owner else "")


def frame(text: str) -> DotnetFrame | None:
    """The frame in a line of a stack; None if it has none, or one without a source file."""
    match = (_FRAME.match(text) or _XUNIT.match(text)) if "at " in text and len(text) < 2000 else None
    if match is None:
        return None
    groups = match.groupdict()
    return DotnetFrame(groups["file"], int(groups["line"] or groups["row"]), groups["owner"])


def in_stack(text: str) -> bool:
    """Whether a line belongs to a stack."""
    return len(text) < 2000 and bool(_ANY.match(text) or _XUNIT.match(text))


def blame(frames: Iterable[DotnetFrame], paths: Paths) -> DotnetFrame | None:
    """The innermost frame inside the repository; `/_/` is the build folder of libraries."""
    return next((f for f in frames if not f.file.startswith("/_/") and paths.inside(f.file)), None)


def comparison(lines: Sequence[str]) -> tuple[str | None, str | None]:
    """(expected, actual) in the lines of a failed assertion."""
    for text in lines[:60]:
        if match := _MSTEST.match(text):
            return match["expected"], match["actual"]
    expected = next((m["value"] for text in lines[:60] if (m := _PLAIN.match(text))), None)
    actual = next((m["value"] for text in lines[:60] if (m := _ACTUAL.match(text))), None)
    return expected, actual


def message(lines: Sequence[str]) -> str:
    """The message before the stack, in one line."""
    message_lines: list[str] = []
    for text in lines:
        if in_stack(text) or len(message_lines) >= 8:
            break
        if text.strip() and not set(text.strip()) <= set("↓↑-^. "):
            message_lines.append(text.strip())
    return " ".join(message_lines)
