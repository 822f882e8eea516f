"""Whether a log can be believed: empty, binary, undecodable and truncated logs are told, not passed over (EX-9)."""

from collections.abc import Iterable, Iterator

_SAMPLE = 1 << 18
_ARCHIVES = {b"PK\x03\x04": "a zip archive", b"\x1f\x8b": "gzip data", b"\x7fELF": "a program", b"\x89PNG": "a picture"}
_CUT_MARKS = (b"log truncated", b"output truncated", b"Log file truncated", b"has exceeded the maximum length")
_TEXT_CONTROLS = frozenset(b"\t\n\r\x1b\x08\x0c\x07")


class Health:
    """Watches the bytes go by."""

    def __init__(self) -> None:
        self._size = 0
        self._head = bytearray()
        self._tail = b""

    def watch(self, log: bytes | Iterable[bytes]) -> Iterator[bytes]:
        """The same bytes, in pieces, with a look at each."""
        pieces: Iterable[bytes] = (log,) if isinstance(log, bytes) else log
        for piece in pieces:
            self._size += len(piece)
            if len(self._head) < _SAMPLE:
                self._head += piece[: _SAMPLE - len(self._head)]
            if piece:
                self._tail = piece[-4096:]
            yield piece

    def unreadable(self) -> str:
        """Why nothing could be read, or ""."""
        head = bytes(self._head)
        if not head.strip():
            return "empty"
        for magic, name in _ARCHIVES.items():
            if head.startswith(magic):
                return f"binary: {name}, not a log"
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "undecodable: UTF-16, logs are UTF-8"
        controls = len(head) - len(head.translate(None, bytes(set(range(32)) - _TEXT_CONTROLS)))
        if controls > len(head) // 10:
            return "binary: too many control characters for a log"
        if head.decode("utf-8", "replace").count("\ufffd") > len(head) // 5:
            return "undecodable: most of it is not UTF-8"
        return ""

    def problem(self) -> str:
        """Why a readable log may not be whole, or ""."""
        if any(mark in self._tail for mark in _CUT_MARKS):
            return "truncated: the log says so itself"
        if self._stamped() and not self._tail.endswith(b"\n"):
            return "truncated: the last line has no end"
        return ""

    def _stamped(self) -> bool:
        """Whether the runner wrote it: a timestamp before the first line."""
        head = bytes(self._head[:40]).removeprefix(b"\xef\xbb\xbf")
        return head[4:5] == b"-" and head[10:11] == b"T" and head[:4].isdigit()
