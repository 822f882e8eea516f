"""The identity of an error across runs of the same check, independent of line shifts and run-time noise."""

import re
from collections.abc import Iterable

from healing.model import CIError, content_id

_NOISE = (
    (re.compile(r"\b0x[0-9a-fA-F]{4,16}\b"), "0x…"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE), "<uuid>"),
    (re.compile(r"(?:/private)?(?:/var/folders|/tmp|/var/tmp)/[^\s'\",:)]{1,400}"), "<tmp>"),
    (re.compile(r"[A-Za-z]:\\[^\s'\",)]{0,200}\\Temp\\[^\s'\",)]{1,400}"), "<tmp>"),
    # The folder of the checkout: CI's differs from ours.
    (re.compile(r"(?:[\w.+@~-]{0,100}/){1,40}(?=[\w.+-]{1,200}\.\w{1,8}\b)"), ""),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"(?<![\w.])\d{1,12}(?:\.\d{1,12})? ?(?:ns|µs|us|ms|s|secs?|seconds?|minutes?)\b"), "<duration>"),
    (re.compile(r"\b(line|lines|row|column|col)s? \d{1,9}\b", re.IGNORECASE), r"\1 #"),
    (re.compile(r"(\.\w{1,8}):\d{1,9}(?::\d{1,9})?"), r"\1:#"),
    (re.compile(r"\b(pid|port|thread)[ =:]{1,3}\d{1,12}", re.IGNORECASE), r"\1 #"),
    (re.compile(r"\s+"), " "),
)
_NUMBER = re.compile(r"\d+")


def fingerprint(error: CIError) -> str:
    """16 hex digits over tool, code, file, test and the message without the parts that change between runs.

    Two equal errors in one file share it: compare fingerprints as multisets to find what is fixed and what is new.
    """
    return content_id("error", error.tool, error.code, error.file, error.test, normal(error.message))


def normal(message: str) -> str:
    """`message` without line numbers, addresses, temporary paths, times and durations."""
    for pattern, plain in _NOISE:
        message = pattern.sub(plain, message)
    return message.strip()


def fails_as(error: CIError, before: Iterable[CIError]) -> bool:
    """Whether one of the errors `before` is the same failure. A test that was red before and is now red for another
    reason is the same test, and not the same failure."""
    same = [other for other in before if identity(other) == identity(error)]
    return any(not error.test or _reason(other) == _reason(error) for other in same)


def _reason(error: CIError) -> tuple[str | None, str]:
    return error.code, _NUMBER.sub("#", normal(error.message))


def identity(error: CIError) -> str:
    """The key by which two reports are the same error: for a test its name, whatever its message, so that a changed
    message doesn't count as fixed; for anything else the fingerprint."""
    return f"{error.tool} test {error.test}" if error.test else fingerprint(error)
