"""go test, with and without -v, and gotestsum; and `go test -json`, whose events contain the same lines."""

import json
from collections.abc import Iterable
from typing import Any

from healing.logs.format import Finding, Format
from healing.logs.formats.go._crashes import HINTS
from healing.logs.formats.go._tests import GoTests
from healing.logs.lines import Line
from healing.logs.paths import Paths

_PACKAGES = 500


class _Events:
    """Reassembles the lines of each package; tests run in parallel, so their events are interleaved."""

    busy = False

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._packages: dict[str, GoTests] = {}
        self._tests: dict[str, str] = {}
        self._partial: dict[str, str] = {}

    def read(self, line: Line) -> Iterable[Finding]:
        start = line.text.find('{"')
        event = _event(line.text[start:]) if 0 <= start < 64 else None
        if event is None:
            return ()
        package, output, test = event.get("Package"), event.get("Output"), event.get("Test") or ""
        if not isinstance(package, str) or not isinstance(output, str) or not isinstance(test, str):
            return ()
        reader = self._packages.get(package)
        if reader is None:
            if len(self._packages) >= _PACKAGES:
                return ()
            reader = self._packages[package] = GoTests(self._paths)
        if test and self._tests.get(package) != test:
            reader.switch(test)
            self._tests[package] = test
        return self._lines(reader, package, output, line.number)

    def close(self) -> Iterable[Finding]:
        return tuple(finding for reader in self._packages.values() for finding in reader.close())

    def _lines(self, reader: GoTests, package: str, output: str, number: int) -> Iterable[Finding]:
        *whole, rest = (self._partial.pop(package, "") + output).split("\n")
        if rest:
            self._partial[package] = rest[:10_000]
        return tuple(finding for text in whole for finding in reader.read(Line(number, text)) if finding.message)


def _event(text: str) -> dict[str, Any] | None:
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


FORMATS = (
    Format(
        "go-test",
        (
            *HINTS,
            "goos: ",
            "=== RUN",
            "=== FAIL",
            "--- FAIL: ",
            "FAIL\t",
            "FAIL  ",
            "[build failed]",
            "[setup failed]",
        ),
        GoTests,
    ),
    Format("go-test-json", ('"Action":"output"', '"Action": "output"'), _Events),
)
