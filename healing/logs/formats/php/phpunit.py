"""PHPUnit and Pest: the numbered failures and errors, testdox output, Pest's own blocks."""

import re
from collections.abc import Iterable, Sequence

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related

_THERE = re.compile(r"There (?:was|were) \d{1,6} (?:[\w ]{1,30} )?(?P<kind>\w{3,20}):$")
_HEAD = re.compile(r"\d{1,6}\) (?P<name>[A-Za-z_\\][\w\\]{0,300}::\S.{0,400}|[\w\\]{2,300})$")
_PEST = re.compile(r"\s{1,4}(?:FAILED|⨯ FAILED) {1,4}(?P<name>\S.{0,400}?)(?: {2,}(?P<error>[A-Z]\w{2,80}))?\s{0,4}$")
_TESTDOX = re.compile(r"\s{1,4}✘ (?P<name>\S.{0,400}?)(?: \[[\d.]{1,12} ms\])?$")
_BAR = re.compile(r"\s{1,6}[│├┐┊╵╷┴] ?")
_OLD_PEST = re.compile(r"\s{0,4}• (?P<name>[\w\\]{2,300} > \S.{0,400})$")
_END = re.compile(
    r"\s{1,4}[✔☢↩∅⚠] \S|"
    r"(?:--$|FAILURES!|ERRORS!|WARNINGS!|OK,? |Tests: |\s{0,4}Tests: {1,6}\d|Generating |Script .{1,200} returned"
    r"|\s{0,4}─{8,}|Time: )"
)
_PLACE = re.compile(
    r"\s{0,4}(?:at |│ )?(?P<file>(?:[A-Za-z]:[\\/])?[^\s:()|'\"][^:()|'\"]{0,400}\.(?:php|phpt"
    r"|inc)):(?P<line>\d{1,9})$"
)
_PEST_FRAME = re.compile(r"\s{2,6}\d{1,4}\s{1,6}(?P<file>\S{1,400}\.php):(?P<line>\d{1,9})$")
_SOURCE = re.compile(r"\s{1,8}(?:➜ ?)?\s{0,6}\d{1,7}[▕|▎]")
_DIFF = re.compile(r"---? (?:·||#Warning: Strings contain different line endings!)?\s?Expected$")
_SAME = re.compile(
    r"Failed asserting that (?P<actual>.{1,800}?) (?:is identical to|matches expected"
    r"|is equal to) (?P<expected>.{1,800}?)\.$"
)
_INNER = re.compile(r".*(?:^|/)(?:vendor/|phar:|usr/share/php/)")
_BAD = ("failure", "failures", "error", "errors")


class _Reader:
    """Reads lists such as that below `There were 2 failures:`; those of warnings, risky and skipped tests are
    ignored."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._listing = False
        self._block: FailedTestOutput | None = None
        self._barred = False

    @property
    def busy(self) -> bool:
        return self._listing or self._block is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if len(text) > 8000:
            return ()
        if match := _THERE.match(text):
            done = self.close()
            self._listing = match["kind"] in _BAD
            return done
        head = _HEAD.match(text) if self._listing else None
        if match := head or _PEST.match(text) or _OLD_PEST.match(text) or _TESTDOX.match(text):
            done = self._finish()
            self._block, self._barred = FailedTestOutput(match["name"], line.number), match.re is _TESTDOX
            return done
        if _END.match(text):
            return self.close()
        if self._block is not None:
            if self._barred and not self._block.lines and not _BAR.match(text):  # another runner's sign
                self._block = None
                return ()
            self._block.add(Line(line.number, _BAR.sub("", text)))
        return ()

    def close(self) -> Iterable[Finding]:
        self._listing = False
        return self._finish()

    def _finish(self) -> Iterable[Finding]:
        block, self._block = self._block, None
        return (_failure(block, self._paths),) if block and block.last else ()


def _failure(block: FailedTestOutput, paths: Paths) -> Finding:
    places = [(m["file"], int(m["line"])) for t in block.lines if (m := _PLACE.match(t) or _PEST_FRAME.match(t))]
    own = [p for p in places if not _INNER.match(p[0]) and paths.inside(p[0])]
    expected, actual = _comparison(block.lines)
    return Finding(
        tool="phpunit",
        category=Category.TEST,
        message=_message(block.lines) or f"{block.title} failed",
        file=own[0][0] if own else None,
        line=own[0][1] if own else None,
        log_line=block.first,
        span=(block.first, max(block.first, block.last)),
        related=tuple(Related(file=file, line=line) for file, line in reversed(places[:40])),
        test=block.title,
        expected=expected,
        actual=actual,
        excerpt="\n".join([block.title, *block.lines]).rstrip(),
    )


def _message(lines: Sequence[str]) -> str:
    message_lines: list[str] = []
    for text in (text.strip() for text in lines):
        ended = _PLACE.match(text) or _DIFF.match(text) or text == "--- Expected" or _SOURCE.match(f"  {text}")
        if ended or len(message_lines) >= 8:
            break
        if text:
            message_lines.append(text)
    return " ".join(message_lines)


def _comparison(lines: Sequence[str]) -> tuple[str | None, str | None]:
    start = next((i for i, text in enumerate(lines) if text.strip().endswith("- Expected") and "-" in text[:6]), None)
    if start is not None:
        body = [text.strip("\n") for text in lines[start + 2 :]]
        end = next((i for i, text in enumerate(body) if _PLACE.match(text)), len(body))
        sides = [[t.lstrip()[1:].strip() for t in body[:end] if t.lstrip().startswith(sign)] for sign in "-+"]
        return "\n".join(sides[0]) or None, "\n".join(sides[1]) or None
    match = next((m for text in lines if (m := _SAME.match(text.strip()))), None)
    return (match["expected"], match["actual"]) if match else (None, None)


FORMAT = Format("phpunit", ("There was 1 ", "There were ", "  FAILED  ", "⨯ FAILED", "• ", " ✘ "), _Reader, before=0)
