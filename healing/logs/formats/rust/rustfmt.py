"""rustfmt and cargo fmt --check: one error for each place that would change, with the diff."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_HEAD = re.compile(r"Diff in (?P<file>\S.{0,500}?)(?: at line |:)(?P<line>\d{1,9}):$")
_LINES = 60


class _Reader:
    """Reads headings and the changed lines below each."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if self._open is not None and line.text[:1] in ("+", "-", " "):
            if (self._open.suggestion or "").count("\n") < _LINES:
                self._open = replace(
                    self._open,
                    suggestion=f"{self._open.suggestion or ''}{line.text}\n",
                    span=(self._open.log_line, line.number),
                )
            return ()
        done = self.close()
        if match := _HEAD.match(line.text):
            self._open = Finding(
                tool="rustfmt",
                category=Category.FORMAT,
                message="would be formatted otherwise",
                file=match["file"],
                line=int(match["line"]) or None,
                log_line=line.number,
                excerpt=line.text,
            )
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (replace(done, excerpt=f"{done.excerpt}\n{done.suggestion or ''}"),) if done else ()


FORMAT = Format("rustfmt", ("Diff in ",), _Reader)
