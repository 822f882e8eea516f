"""unittest's own report: `FAIL: test_x (module.Class.test_x)` and its traceback."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format
from healing.logs.formats.python._traces import Traceback, TraceParser, blame, category
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_HEAD = re.compile(r"(?:FAIL|ERROR): (?P<name>\S{1,300})(?: \((?P<path>[\w.<>-]{1,400})\))?(?P<sub> [\[(].{1,300})?$")
_RULE = re.compile(r"[-=]{70}$")


class _Reader:
    """Reads a heading between rules, then tracebacks until the next rule."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._ruled = False
        self._head: re.Match[str] | None = None
        self._at = 0
        self._rules = 0
        self._last = 0
        self._parser = TraceParser()
        self._traces: list[Traceback] = []

    @property
    def busy(self) -> bool:
        return self._head is not None or self._ruled

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if _RULE.match(text):
            return self._rule(line)
        if self._ruled and (head := _HEAD.match(text)):
            self._head, self._at, self._rules = head, line.number, 0
        self._ruled = False
        if self._head is not None and (trace := self._parser.feed(line)):
            self._traces.append(trace)
        self._last = line.number
        return ()

    def close(self) -> Iterable[Finding]:
        if (trace := self._parser.close()) is not None:
            self._traces.append(trace)
        return self._report()

    def _rule(self, line: Line) -> Iterable[Finding]:
        """Reads a rule: `===` precedes each heading, `---` follows it and is printed once more at the end."""
        heading = line.text.startswith("=")
        self._ruled = heading
        if self._head is None:
            return ()
        self._rules += 1
        return self.close() if heading or self._rules > 1 else ()

    def _report(self) -> Iterable[Finding]:
        head, traces, self._head, self._traces = self._head, self._traces, None, []
        if head is None or not traces:
            return ()
        trace = traces[-1]
        frame = blame(trace.frames, self._paths)
        collected = "_FailedTest" in (head["path"] or "")
        return (
            Finding(
                tool="unittest",
                code=trace.exception.rpartition(".")[2] or None,
                category=category(trace.exception, Category.RUNTIME) if collected else Category.TEST,
                message=trace.words,
                file=frame.file if frame else None,
                line=frame.line if frame else None,
                test=_test_id(head["name"], head["path"]) + (head["sub"] or ""),
                related=tuple(f.related() for f in trace.frames),
                log_line=self._at,
                span=(self._at, max(self._last, trace.last)),
                excerpt="\n".join([head.string, *trace.lines]),
                repeats=True,
            ),
        )


def _test_id(name: str, path: str | None) -> str:
    """The test's id, `tests.test_a.T.test_x`: Python 3.11 prints all of it, older versions omit the method."""
    if not path:
        return name
    return path if path.endswith("." + name) or path == name else f"{path}.{name}"


FORMAT = Format("unittest", ("=" * 70,), _Reader)
