"""TAP (node --test, tape, tap, Vitest, AVA, Mocha; bats and prove too): `not ok` lines and the diagnostics below."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._tap_diagnostics import Point, failed
from healing.logs.formats.javascript.node import uncaught
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_POINT = re.compile(
    r"(?P<indent>\s{0,40})(?P<not>not )?ok (?P<number>\d{1,9})(?:\s{0,4}-)?(?:\s(?P<title>.*?))?"
    r"(?P<directive>\s#\s{0,2}(?i:TODO|SKIP)\b.*)?(?:\s#\s?(?:time=|RE-RUN).*)?(?P<opens> \{)?\s{0,9}$"
)
_SUBTEST = re.compile(r"(?P<indent>\s{0,40})# (?P<sub>Subtest: )?(?P<title>\S.*)$")
_FIGURES = re.compile(r"(?:tests|pass|fail|ok|skip|todo|time|duration_ms|cancelled|suites|failed|todo)\b[ =:]|\{ ")
_STOP = re.compile(r"\s{0,40}(?:\d{1,9}\.\.\d{1,9}\b|Bail out!)")


def _printed(line: Line) -> Finding:
    """A finding without a message for a comment, in which node reports what it runs and what tests printed: other
    tools' output there is data."""
    span = (line.number, line.number)
    return Finding(tool="tap", category=Category.TEST, message="", log_line=line.number, span=span, repeats=True)


class _Reader:
    """Reads failed points. Parents of failed tests failed only because of them, and aren't reported."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._tap = False
        self._point: Point | None = None
        self._names: list[tuple[int, str]] = []
        self._failing: list[int] = []
        self._crash = uncaught(paths)
        self._crashed: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._tap or self._point is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if text.startswith("TAP version"):
            self._tap = True
        if self._tap and text.startswith("# "):
            self._commented(line)
            return (*self._read(line), _printed(line))
        return self._read(line)

    def _read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if ("ok " in text) and (point := _POINT.match(text)):
            done = self.close()
            self._test(point, line)
            return done
        if "# " in text and (named := _SUBTEST.match(text)) and (named["sub"] or not self._point):
            done = self.close()
            self._name(len(named["indent"]), named["title"], named["sub"] is not None)
            return done
        if self._point is None:
            return ()
        if _STOP.match(text) or not self._point.takes(text):
            return self.close()
        self._point.add(line)
        return ()

    def close(self) -> Iterable[Finding]:
        point, self._point = self._point, None
        finding = failed(point, self._paths) if point else None
        return (finding,) if finding else ()

    def _commented(self, line: Line) -> None:
        """Reads the output of a test file that ended early; node prints it as comments above the file's point."""
        self._keep(self._crash.read(replace(line, text=line.text.removeprefix("# "))))

    def _keep(self, found: Iterable[Finding]) -> None:
        for crash in found:
            self._crashed = self._crashed or crash

    def _name(self, indent: int, title: str, subtest: bool) -> None:
        """Stores a test's name: node and tap print that of a subtest before it, tape that of a test above its
        points."""
        if not subtest and (indent or _FIGURES.match(title) or any(i >= 0 for i, _ in self._names)):
            return
        depth = indent if subtest else -1
        self._names = [(i, name) for i, name in self._names if (0 if subtest else -1) <= i < depth][-20:]
        self._names.append((depth, title))

    def _test(self, point: re.Match[str], line: Line) -> None:
        indent = len(point["indent"])
        self._keep(self._crash.close())
        crashed, self._crashed = self._crashed, None
        parent = any(child > indent for child in self._failing)
        self._failing = [child for child in self._failing if child <= indent][-40:]
        if not point["not"] or point["directive"]:
            return
        self._failing.append(indent)
        if parent or point["opens"]:
            return
        around = [name for depth, name in self._names if depth < indent]
        title = (point["title"] or f"test {point['number']}").strip()
        self._point = Point(" › ".join([*around, title]), indent, line.number, crashed=crashed)


FORMAT = Format("tap", ("not ok ", "TAP version"), _Reader, before=0)
