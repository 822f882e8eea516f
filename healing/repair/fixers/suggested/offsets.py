"""Converts the positions of tools to bytes: UTF-16 units (JavaScript, language servers) and characters (Ruff)."""

from bisect import bisect_right
from collections.abc import Callable

BOM = b"\xef\xbb\xbf"


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class Offsets:
    """The positions in one file's text. For text that is not UTF-8, and for positions outside, every method returns
    None."""

    def __init__(self, data: bytes) -> None:
        self.skipped = len(BOM) if data.startswith(BOM) else 0
        try:
            self.text = data[self.skipped :].decode()
        except UnicodeDecodeError:
            self.text = ""
        self.plain = self.text.isascii()
        self.starts = [0]  # in characters
        for line in self.text.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.starts[-1] -= 1  # the last line has no line end

    def of_units(self, units: int) -> int | None:
        """The byte at an offset in UTF-16 units."""
        if self.plain:
            return units + self.skipped if 0 <= units <= len(self.text) else None
        data = self.text.encode("utf-16-le", "surrogatepass")
        if not 0 <= 2 * units <= len(data):
            return None
        return self.skipped + len(data[: 2 * units].decode("utf-16-le", "replace").encode())

    def at_units(self, line: int, units: int) -> int | None:
        """The byte at a line, from 0, and a column in UTF-16 units, from 0."""
        return self._at(line, units, _units)

    def at_characters(self, line: int, column: int) -> int | None:
        """The byte at a line, from 0, and a column in characters, from 0."""
        return self._at(line, column, len)

    def _at(self, line: int, column: int, measure: Callable[[str], int]) -> int | None:
        if not (0 <= line < len(self.starts) - 1 and column >= 0):
            return None
        start, end = self.starts[line], self.starts[line + 1]
        row = self.text[start:end]
        if row.isascii():
            return self._bytes(start + column) if column <= len(row) else None
        lengths = [measure(row[:n]) for n in range(len(row) + 1)] if len(row) < 10_000 else []
        at = bisect_right(lengths, column) - 1
        return self._bytes(start + at) if lengths and lengths[at] == column else None

    def _bytes(self, characters: int) -> int:
        return self.skipped + (characters if self.plain else len(self.text[:characters].encode()))
