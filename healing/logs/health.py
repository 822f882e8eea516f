"""Checks whether a log is readable and complete: empty, binary, undecodable and truncated logs are reported.

A log that isn't plain text is reported even if it could be unpacked: what was read from it may not be everything.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from healing.logs.unpacking import Gzip, Plain, Utf16, Zip

_SAMPLE = 1 << 18
_OTHERS = {b"\x7fELF": "a program", b"\x89PNG": "a picture", b"%PDF": "a PDF document", b"BZh": "bzip2 data",
           b"\xfd7zXZ": "xz data", b"\x28\xb5\x2f\xfd": "zstd data", b"PK\x05\x06": "an empty zip archive"}  # fmt: skip
_CUT_MARKS = (b"log truncated", b"output truncated", b"Log file truncated", b"has exceeded the maximum length")
_TEXT_CONTROLS = frozenset(b"\t\n\r\x1b\x08\x0c\x07")
_PAGE = re.compile(rb"\s{0,200}(?:<!--[^>]{0,500}-->\s{0,200})?<(?:!doctype html|html)\b", re.IGNORECASE)
_TITLE = re.compile(rb"<title[^>]{0,200}>\s{0,200}([^<]{1,200})", re.IGNORECASE)
_SLICE = 1 << 18
_DOCUMENTS = (b"{", b"[", b"<")


class Health:
    """Inspects the bytes of a log, and unpacks them if they are compressed."""

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""
        self._run = 0
        self._longest = 0
        self._nuls = False
        self._wrapping: Plain | Gzip | Zip | Utf16 = Plain()

    def watch(self, log: bytes | Iterable[bytes]) -> Iterator[bytes]:
        """Yields the readable bytes in pieces, inspecting each."""
        pieces = iter((log,) if isinstance(log, bytes) else log)
        first: list[bytes] = []
        size = 0
        while size < _SAMPLE and (piece := next(pieces, None)) is not None:
            first.append(piece)
            size += len(piece)
        self._head = b"".join(piece[:_SAMPLE] for piece in first)[:_SAMPLE]
        self._wrapping = _wrapping(self._head)
        for piece in self._wrapping.read(chain(first, pieces)):
            self._inspect(piece)
            yield piece

    def unreadable(self) -> str:
        """Why this isn't a plain log, and how far it could be read nevertheless; "" if it is one."""
        head, state = self._head, self._wrapping.state
        if not head.strip():
            return "empty"
        if isinstance(self._wrapping, Gzip | Zip):
            return f"binary: {'gzip data' if isinstance(self._wrapping, Gzip) else 'a zip archive'}, not a log; {state}"
        if isinstance(self._wrapping, Utf16):
            return f"undecodable as UTF-8: this is UTF-16; {state}"
        for magic, name in _OTHERS.items():
            if head.startswith(magic):
                return f"binary: {name}, not a log"
        if _PAGE.match(head):
            return f"html: a web page{_title(head)}, not a log; look whether its address asks for a sign-in"
        return _not_text(head)

    def problem(self) -> str:
        """Why a readable log may be incomplete; "" if nothing indicates it."""
        if any(mark in self._tail for mark in _CUT_MARKS):
            return "truncated: the log says so itself"
        if self._stamped() and not self._tail.endswith(b"\n"):
            return "truncated: the last line has no end"
        if self._longest > 2 * _SLICE and not self._head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_DOCUMENTS):
            return f"cut: of a line of more than {self._longest >> 20 or 1} MB only the beginning was read"
        return "damaged: it holds NUL bytes; they were left out" if self._nuls else ""

    def _inspect(self, piece: bytes) -> None:
        if piece:
            self._tail = piece[-4096:]
        self._nuls = self._nuls or b"\0" in piece
        for start in range(0, len(piece), _SLICE):
            end = min(start + _SLICE, len(piece))
            last = piece.rfind(b"\n", start, end)
            self._run = self._run + end - start if last < 0 else end - last - 1
            self._longest = max(self._longest, self._run)

    def _stamped(self) -> bool:
        """Whether the runner wrote it, with a timestamp before the first line."""
        head = self._head[:40].removeprefix(b"\xef\xbb\xbf")
        return head[4:5] == b"-" and head[10:11] == b"T" and head[:4].isdigit()


def _wrapping(head: bytes) -> Plain | Gzip | Zip | Utf16:
    if head.startswith(b"\x1f\x8b"):
        return Gzip()
    if head.startswith(b"PK\x03\x04"):
        return Zip()
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Utf16("le" if head[0] == 0xFF else "be")
    # Without a byte order mark: every second byte of Western text is NUL.
    even, odd = head[0:4096:2], head[1:4096:2]
    if len(odd) >= 8 and odd.count(0) > 0.7 * len(odd) and even.count(0) < 0.1 * len(even):
        return Utf16("le")
    if len(odd) >= 8 and even.count(0) > 0.7 * len(even) and odd.count(0) < 0.1 * len(odd):
        return Utf16("be")
    return Plain()


def _title(head: bytes) -> str:
    match = _TITLE.search(head)
    return f" (“{' '.join(match[1].decode('utf-8', 'replace').split())}”)" if match else ""


def _not_text(head: bytes) -> str:
    controls = len(head) - len(head.translate(None, bytes(set(range(32)) - _TEXT_CONTROLS)))
    if controls > len(head) // 10:
        return "binary: too many control characters for a log"
    if head.decode("utf-8", "replace").count("\ufffd") > len(head) // 5:
        return "undecodable: most of it is not UTF-8"
    return ""
