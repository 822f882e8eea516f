"""Plain Python tracebacks: chained ones, syntax errors with and without heading, py_compile's `Sorry:`."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.formats.python._traces import CHAINS, Traceback, TraceParser, blame, category, is_syntax
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related

_SORRY = re.compile(
    r"(?:Sorry: )?(?P<name>\w{0,40}(?:Error|Exception)): (?P<message>.*) "
    r"\((?P<file>[^()]{1,400}), line (?P<line>\d{1,9})\)$"
)
_COMPILING = re.compile(r"\*\*\* Error compiling '(?P<file>[^']{1,500})'")
_CHAIN = 20
_QUIET = ("KeyboardInterrupt", "SystemExit", "GeneratorExit", "BrokenPipeError")


class _Reader:
    """Collects a chain of tracebacks, which is one error: that of its last exception."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._parser = TraceParser()
        self._chain: list[Traceback] = []
        self._linked = False
        self._before = ""

    @property
    def busy(self) -> bool:
        return self._parser.busy or bool(self._chain)

    def read(self, line: Line) -> Iterable[Finding]:
        was_inside = self._parser.busy
        trace = self._parser.feed(line)
        findings: Iterable[Finding] = ()
        if self._parser.busy and not was_inside and not self._linked:
            findings = self._finish()
        elif not was_inside and not self._parser.busy and self._chain:
            findings = self._between(line)
        elif not was_inside and not self._parser.busy:
            findings = _sorry(line, self._before)
        self._before = line.text
        if trace is not None:
            self._chain = [*self._chain[-_CHAIN:], trace]
            self._linked = False
        return findings

    def close(self) -> Iterable[Finding]:
        if (trace := self._parser.close()) is not None:
            self._chain.append(trace)
        return self._finish()

    def _between(self, line: Line) -> Iterable[Finding]:
        """Reads a line after an exception: a blank line or a chaining phrase keeps the chain open, any other ends
        it."""
        text = line.text.strip(" |")
        if text in CHAINS:
            self._linked = True
        if not text or text in CHAINS:
            return ()
        return self._finish()

    def _finish(self) -> Iterable[Finding]:
        chain, self._chain, self._linked = self._chain, [], False
        if not chain or chain[-1].exception in _QUIET:
            return ()
        return (_finding(chain, self._paths),)


def _finding(chain: list[Traceback], paths: Paths) -> Finding:
    last = chain[-1]
    frame = blame(last.frames, paths)
    if frame is None and len(chain) > 1:  # re-raised in a library: use an earlier exception of the chain
        frame = next((inner for trace in reversed(chain) if (inner := blame(trace.frames, paths))), None)
    causes = tuple(
        Related(file=spot.file, line=spot.line, message=f"caused by {trace.words}")
        for trace in chain[:-1]
        if (spot := blame(trace.frames, paths))
    )
    where = Category.SYNTAX if is_syntax(last.exception) else Category.RUNTIME
    return Finding(
        tool="python",
        code=last.exception.rpartition(".")[2] or None,
        category=category(last.exception, where),
        message=last.words or "the log ends inside this traceback",
        file=frame.file if frame else None,
        line=frame.line if frame else None,
        related=(*causes, *(f.related() for f in last.frames)),
        log_line=chain[0].first,
        span=(chain[0].first, last.last),
        excerpt="\n".join(text for trace in chain for text in trace.lines),
        score=0.8 if frame else 0.5,
    )


def _sorry(line: Line, before: str) -> Iterable[Finding]:
    """The finding of py_compile's short form, which lacks the file's folder; compileall prints it on the line
    before."""
    match = _SORRY.match(line.text) if line.text.endswith(")") and ", line " in line.text else None
    if match is None:
        return ()
    whole = _COMPILING.match(before)
    return (
        Finding(
            tool="python",
            code=match["name"],
            category=category(match["name"], Category.RUNTIME),
            message=f"{match['name']}: {match['message']}",
            file=whole["file"] if whole else match["file"],
            line=number(match["line"]),
            log_line=line.number,
            excerpt=line.text,
            score=0.8,
        ),
    )


FORMAT = Format("traceback", ("Traceback (most recent", 'File "', ", line "), _Reader, rank=1)
