"""The same error in the words of two sources: a log and a report file, or a command's output and its report."""

import re
from collections.abc import Iterable

from healing.model import CIError

_BETWEEN = re.compile(r"::|[./\\]|\s*(?:>|›|»)\s*|\s+")


class Twins:
    """Finds among errors the one that says the same as another, however differently two sources write it: the same
    test, or the same rule or message at the same place."""

    def __init__(self, errors: Iterable[CIError]) -> None:
        self._by_key: dict[tuple[object, ...], list[CIError]] = {}
        for error in errors:
            for key in _keys(error):
                self._by_key.setdefault(key, []).append(error)

    def of(self, error: CIError) -> CIError | None:
        """Its twin, or None."""
        found = (other for key in _keys(error) for other in self._by_key.get(key, ()))
        return next((other for other in found if _same_test(error, other)), None)


def _keys(error: CIError) -> list[tuple[object, ...]]:
    if error.test:
        return [("test", _words(error.test)[-1])]
    if not error.file or not error.line:
        return []
    place = (error.file, error.line)
    return [(*place, "message", error.message), *([(*place, "code", error.code)] if error.code else [])]


def _same_test(one: CIError, other: CIError) -> bool:
    """Whether the words of one test's name end as those of the other: `test_a.py::test_b`, `tests.test_a.test_b`."""
    if not one.test or not other.test:
        return True
    first, second = _words(one.test), _words(other.test)
    shorter = min(len(first), len(second))
    return first[-shorter:] == second[-shorter:]


def _words(test: str) -> list[str]:
    """A test's name in words, without its parameters' own and without the endings of files."""
    head, bracket, parameters = test.partition("[")
    words = [word for word in _BETWEEN.split(head) if word and word not in ("py", "js", "ts", "jsx", "tsx", "rb", "go")]
    return [*words[:-1], words[-1] + bracket + parameters] if words else [test]
