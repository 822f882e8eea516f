"""Python source that strangers wrote, parsed without surprises."""

import ast
import re
import warnings
from bisect import bisect_right
from itertools import accumulate, pairwise


def parse(data: bytes | str) -> ast.Module | None:
    """The tree of Python source; None where it is none (broken, too deep, binary). Never raises or warns."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def syntax_error(data: bytes) -> SyntaxError | None:
    """What the compiler has against this source; None where it parses or where that can't be said."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


DEFINITION = re.compile(rb"^([ \t]*)(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
FAR = 2000  # definitions that are looked back over; a file with more before the one around a line is no one's work


class Outline:
    """Which function is around a line, told by indentation: cheap for thousands of files, and for broken ones too."""

    def __init__(self, data: bytes) -> None:
        self.lines = data.split(b"\n")
        found = list(DEFINITION.finditer(data))
        ends = accumulate((data.count(b"\n", a, b) for a, b in pairwise([0, *(m.start(2) for m in found)])), initial=1)
        self.rows = list(ends)[1:]
        self.names = [match.group(2).decode("utf-8", "replace") for match in found]

    def around(self, line: int) -> str:
        """Dotted name of the innermost function or class around the 1-based `line`; empty at the top level."""
        if not 0 < line <= len(self.lines):
            return ""
        at = bisect_right(self.rows, line)
        limit = _indent(self.lines[line - 1]) + (1 if at and self.rows[at - 1] == line else 0)
        names: list[str] = []
        for index in range(at - 1, max(at - 1 - FAR, -1), -1):
            if limit == 0:
                break
            indent = _indent(self.lines[self.rows[index] - 1])
            if indent < limit:
                names.append(self.names[index])
                limit = indent
        return ".".join(reversed(names))


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))
