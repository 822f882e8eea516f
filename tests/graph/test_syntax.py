"""Python source is parsed without surprises, also from many threads at once."""

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from healing.graph.python import syntax
from healing.graph.python.syntax import parse, syntax_error

SOURCE = Path(syntax.__file__).read_bytes() * 4


class Noise:
    """Dies in the garbage collector, whose turn is when a thread may be put aside in the middle of a parse."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        assert len([1]) == 1


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads and the garbage collector take turns as often as they can."""
    threshold, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(50)
    sys.setswitchinterval(1e-6)
    yield
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


# CL-5
def test_many_threads_that_parse_at_once_all_get_their_tree(restless: None) -> None:
    def work(_: int) -> bool:
        Noise()
        return parse(SOURCE) is not None and syntax_error(SOURCE) is None

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(120)))


def test_what_is_no_python_has_no_tree_and_says_why_where_it_can() -> None:
    assert parse(b"def f(") is None
    assert parse(b"\x00") is None
    assert parse(b"+0" * 100_000) is None
    found = syntax_error(b"def f(:")
    assert found is not None
    assert found.lineno == 1
