"""Reads a file for the guard: with its language's parser, or by words if there is none or the file can't be parsed."""

from functools import lru_cache

from healing.verify.guard.reading import words
from healing.verify.guard.reading.marks import FileMarks
from healing.verify.guard.reading.text import BIG, PYTHON, language_of, plain


def readings(path: str, old: bytes | None, new: bytes | None) -> tuple[FileMarks, FileMarks]:
    """The marks and tests of a file before and after a change, both read the same way so that they can be compared."""
    before, after = parsed(path, old or b""), parsed(path, new or b"")
    if before is None or after is None:
        return words.read(path, plain(old or b"")), words.read(path, plain(new or b""))
    return before, after


@lru_cache(maxsize=256)
def parsed(path: str, data: bytes) -> FileMarks | None:
    """The marks and tests of a file by its language's parser; None if there is none, or if the file doesn't parse.
    Never raises."""
    language = language_of(path)
    if language is None or len(data) > BIG:
        return None
    try:
        return _by_language(language, path, data)
    except (RecursionError, ValueError, MemoryError):
        return None


def _by_language(language: str, path: str, data: bytes) -> FileMarks | None:
    if language == PYTHON:
        from healing.verify.guard.reading import python

        return python.read(path, data)
    from healing.verify.guard.reading import trees

    return trees.read(language, path, data)
