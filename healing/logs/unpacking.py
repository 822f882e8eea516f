"""Unpacks logs that are gzip, zip or UTF-16, piece by piece, as far as they can be read."""

import codecs
import struct
import zlib
from collections.abc import Iterator

_PIECE = 1 << 16
_LIMIT = 4 << 30  # bytes; anything that unpacks to more is a decompression bomb
_HEADER = struct.Struct("<4s5H3I2H")
_FILE, _LATER = b"PK\x03\x04", (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06")
_DEFLATED = 8
_DESCRIPTOR = 24  # bytes at most between a file's end and what follows


class Gzip:
    """gzip data. `state` is a message on how far it could be read."""

    def __init__(self) -> None:
        self.state = "it was unpacked"

    def read(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The bytes inside."""
        size = 0
        inflating = zlib.decompressobj(31)
        for piece in _small(pieces):
            rest = piece
            try:
                while rest and size < _LIMIT:
                    if inflating.eof:
                        inflating = zlib.decompressobj(31)
                    plain = inflating.decompress(rest, _PIECE)
                    rest = inflating.unconsumed_tail or inflating.unused_data
                    size += len(plain)
                    yield plain
            except zlib.error:
                self.state = f"it is damaged after {size} bytes"
                return
        if not inflating.eof:
            self.state = f"it breaks off after {size} bytes"


class Zip:
    """A zip archive, read from its front, so that a truncated one can be read too."""

    def __init__(self) -> None:
        self.state = "nothing in it could be unpacked"
        self._files = 0
        self._size = 0
        self._buffer = b""

    def read(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The bytes of its files, one after another; each ends with a newline."""
        pieces = _small(pieces)
        try:
            while self._size < _LIMIT and self._fill(pieces, _HEADER.size) and self._buffer.startswith(_FILE):
                yield from self._file(pieces)
                yield b"\n"
                self._files += 1
                self.state = f"{self._files} file{'s' * (self._files > 1)} in it could be unpacked"
        except (zlib.error, EOFError):
            self.state = f"it is damaged or breaks off in its file number {self._files + 1}"

    def _file(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        _, _, flags, method, _, _, _, packed, _, name, extra = _HEADER.unpack_from(self._buffer)
        if not self._fill(pieces, _HEADER.size + name + extra):
            raise EOFError
        self._buffer = self._buffer[_HEADER.size + name + extra :]
        if method == _DEFLATED and not flags & 1:
            yield from self._inflated(pieces)
        else:
            yield from self._stored(pieces, packed, shown=method == 0 and not flags & 1)
        if flags & 8:
            self._fill(pieces, _DESCRIPTOR + 4)
            ends = [at for sign in _LATER if (at := self._buffer.find(sign, 0, _DESCRIPTOR + 4)) >= 0]
            self._buffer = self._buffer[min(ends, default=0) :]

    def _inflated(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        inflating = zlib.decompressobj(-15)
        while not inflating.eof and self._size < _LIMIT:
            if not self._fill(pieces, 1):
                raise EOFError
            plain = inflating.decompress(self._buffer, _PIECE)
            self._buffer = inflating.unconsumed_tail or inflating.unused_data
            self._size += len(plain)
            yield plain

    def _stored(self, pieces: Iterator[bytes], size: int, *, shown: bool) -> Iterator[bytes]:
        while size:
            if not self._fill(pieces, 1):
                raise EOFError
            part, self._buffer = self._buffer[:size], self._buffer[size:]
            size -= len(part)
            if shown:
                yield part

    def _fill(self, pieces: Iterator[bytes], size: int) -> bool:
        while len(self._buffer) < size and (piece := next(pieces, None)) is not None:
            self._buffer += piece
        return len(self._buffer) >= size


class Utf16:
    """UTF-16 text, as PowerShell's `>` writes it. `order` is `le` or `be`; a byte order mark is removed."""

    state = "it was read as such"

    def __init__(self, order: str) -> None:
        self._decoder = codecs.getincrementaldecoder(f"utf-16-{order}")("replace")

    def read(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The same text in UTF-8."""
        for piece in pieces:
            yield self._decoder.decode(piece).replace("\ufeff", "").encode("utf-8", "replace")


class Plain:
    """Data that needs no unpacking."""

    state = ""

    def read(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The same bytes."""
        return pieces


def _small(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in small pieces, because the rest of a piece is copied repeatedly."""
    for piece in pieces:
        for start in range(0, len(piece), _PIECE):
            yield piece[start : start + _PIECE]
