"""Reads Python from its syntax tree and its comments."""

import ast
import io
import tokenize
from collections.abc import Iterator

from healing.graph.python.syntax import parse
from healing.verify.guard.paths import is_test_file
from healing.verify.guard.reading.comments import SILENCERS, silencers
from healing.verify.guard.reading.marks import FileMarks, Mark
from healing.verify.guard.reading.python_marks import marks
from healing.verify.guard.reading.python_tests import bound_names, defined_names, loose_assertions, tests
from healing.verify.guard.reading.text import plain


def read(path: str, data: bytes) -> FileMarks | None:
    """The marks and tests of Python source; None if it doesn't parse. May raise RecursionError on deep trees."""
    tree = parse(data)
    if tree is None:
        return None
    reading = FileMarks()
    reading.add(_comments(data))
    in_tests = is_test_file(path)
    reading.add(mark for node in ast.walk(tree) for mark in marks(node, in_tests))
    if in_tests:
        reading.tests = list(tests(tree))
        reading.loose = tuple(loose_assertions(tree))
        reading.bound, reading.defined = bound_names(tree), defined_names(tree)
    return reading


def _comments(data: bytes) -> Iterator[Mark]:
    text = plain(data)
    if not SILENCERS.search(text):
        return
    try:
        comments = [
            t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT
        ]
    except (tokenize.TokenError, SyntaxError) as error:
        raise ValueError(str(error)) from error
    for comment in comments:
        yield from silencers(comment)
