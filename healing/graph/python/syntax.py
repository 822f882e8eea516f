"""Parses untrusted Python source safely."""

import ast
import contextlib
import re
import threading
import warnings
from bisect import bisect_right
from itertools import accumulate, pairwise

ONE_AT_A_TIME = threading.Lock()
TRIES = 5  # another library's thread, which doesn't take our lock, may parse at the same moment


def parse(data: bytes | str) -> ast.Module | None:
    """The tree of Python source; None if it can't be parsed (broken, too deep, binary). Never raises or warns."""
    try:
        return _tree(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return None


def syntax_error(data: bytes) -> SyntaxError | None:
    """The source's syntax error; None if it parses or that can't be determined."""
    try:
        _tree(data)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError, SystemError):
        return None
    return None


def _tree(data: bytes | str) -> ast.Module:
    """Parses with retries: Python 3.11 has one recursion depth counter for all threads, and raises SystemError (`AST
    constructor recursion depth mismatch`) if two of them parse at once. Warning filters are global to the process too,
    hence the lock."""
    for _ in range(TRIES - 1):
        with contextlib.suppress(SystemError):
            return _one_tree(data)
    return _one_tree(data)


def _one_tree(data: bytes | str) -> ast.Module:
    with ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(data)


DEFINITION = re.compile(rb"^([ \t]*)(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
FAR = 2000  # definitions that are searched backwards; no hand-written file needs more


class Outline:
    """Finds the function around a line by indentation: cheap for thousands of files, and works for broken ones."""

    def __init__(self, data: bytes) -> None:
        self.lines = data.split(b"\n")
        matches = list(DEFINITION.finditer(data))
        ends = accumulate(
            (data.count(b"\n", a, b) for a, b in pairwise([0, *(m.start(2) for m in matches)])), initial=1
        )
        self.rows = list(ends)[1:]
        self.names = [match.group(2).decode("utf-8", "replace") for match in matches]

    def around(self, line: int) -> str:
        """The dotted name of the innermost function or class around the 1-based `line`; empty at the top level."""
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
