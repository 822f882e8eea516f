"""The identity of an error across two runs of the same check: line shifts and run-time noise don't change it."""

import re

from healing.model import CIError, content_id

_NOISE = (
    (re.compile(r"\b0x[0-9a-fA-F]{4,16}\b"), "0x…"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE), "<uuid>"),
    (re.compile(r"(?:/private)?(?:/var/folders|/tmp|/var/tmp)/[^\s'\",:)]{1,400}"), "<tmp>"),
    (re.compile(r"[A-Za-z]:\\[^\s'\",)]{0,200}\\Temp\\[^\s'\",)]{1,400}"), "<tmp>"),
    # Where the checkout lay: CI's is not ours.
    (re.compile(r"(?:[\w.+@~-]{0,100}/){1,40}(?=[\w.+-]{1,200}\.\w{1,8}\b)"), ""),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"(?<![\w.])\d{1,12}(?:\.\d{1,12})? ?(?:ns|µs|us|ms|s|secs?|seconds?|minutes?)\b"), "<duration>"),
    (re.compile(r"\b(line|lines|row|column|col)s? \d{1,9}\b", re.IGNORECASE), r"\1 #"),
    (re.compile(r"(\.\w{1,8}):\d{1,9}(?::\d{1,9})?"), r"\1:#"),
    (re.compile(r"\b(pid|port|thread)[ =:]{1,3}\d{1,12}", re.IGNORECASE), r"\1 #"),
    (re.compile(r"\s+"), " "),
)


def fingerprint(error: CIError) -> str:
    """16 hex digits from tool, code, file, test and the message without what changes between runs.

    Two equal mistakes in one file share it: compare fingerprints as multisets to say what is gone and what is new.
    """
    return content_id("error", error.tool, error.code, error.file, error.test, normal(error.message))


def normal(message: str) -> str:
    """`message` without line numbers, addresses, temporary paths, times and durations."""
    for pattern, plain in _NOISE:
        message = pattern.sub(plain, message)
    return message.strip()


def identity(error: CIError) -> str:
    """What makes two reports the same error: a test is the same error whatever it says while it is red, so that
    another message is no fix; all else is recognised by its fingerprint."""
    return f"{error.tool} test {error.test}" if error.test else fingerprint(error)
