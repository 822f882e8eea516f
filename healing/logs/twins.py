"""Matches equal errors from two sources: a log and a report file, or a command's output and its report."""

import re
from collections.abc import Iterable

from healing.model import CIError

_BETWEEN = re.compile(r"::|[./\\]|\s*(?:>|›|»)\s*|\s+")


class CounterpartIndex:
    """Finds, among `errors`, the counterpart of an error from another source: the same test, or the same rule or
    message at the same place."""

    def __init__(self, errors: Iterable[CIError]) -> None:
        self._by_key: dict[tuple[object, ...], list[CIError]] = {}
        for error in errors:
            for key in _keys(error):
                self._by_key.setdefault(key, []).append(error)

    def of(self, error: CIError) -> CIError | None:
        """The error's counterpart, or None."""
        candidates = (other for key in _keys(error) for other in self._by_key.get(key, ()))
        return next((other for other in candidates if _same_test(error, other)), None)


def _keys(error: CIError) -> list[tuple[object, ...]]:
    if error.test:
        return [("test", _words(error.test)[-1])]
    if not error.file or not error.line:
        return []
    place = (error.file, error.line)
    return [(*place, "message", error.message), *([(*place, "code", error.code)] if error.code else [])]


def _same_test(one: CIError, other: CIError) -> bool:
    """Whether one test's name ends with the words of the other's, as `tests.test_a.test_b` with `test_a.py::test_b`.
    True where either names no test."""
    if not one.test or not other.test:
        return True
    first, second = _words(one.test), _words(other.test)
    shorter = min(len(first), len(second))
    return first[-shorter:] == second[-shorter:]


def _words(test: str) -> list[str]:
    """The words of a test's name, without file extensions; parameters stay part of the last word."""
    head, bracket, parameters = test.partition("[")
    words = [word for word in _BETWEEN.split(head) if word and word not in ("py", "js", "ts", "jsx", "tsx", "rb", "go")]
    return [*words[:-1], words[-1] + bracket + parameters] if words else [test]
