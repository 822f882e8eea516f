"""What is read of Python without a tree is what `ast` says."""

import ast
import sysconfig
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.graph.python.skimming import skim

LIBRARY = Path(sysconfig.get_paths()["stdlib"])
TRICKY = '''
"""from a import b"""
# import c
x = "import d"; import e.f as g, h
if x: from .i import (j,  # import k
    l as m,)
from ...n import \\
    o
try: import p
except ImportError: pass
class Q:
    from . import r
    s = \'\'\'
import t
\'\'\'
def u(): from v import *
yield_ = f"{x!r} import w"; raise_ = b"\\"import x"
'''


def by_ast(source: bytes) -> set[tuple[int, str, tuple[str, ...]]]:
    found: set[tuple[int, str, tuple[str, ...]]] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {(0, alias.name, ()) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.level, node.module or "", tuple(alias.name for alias in node.names)))
    return found


def skimmed(source: bytes) -> set[tuple[int, str, tuple[str, ...]]]:
    return {(item.level, item.module, item.names) for item in skim(source)[0]}


# CL-2
def test_strings_comments_continued_lines_and_several_statements_in_a_line_are_distinguished() -> None:
    assert skimmed(TRICKY.encode()) == by_ast(TRICKY.encode())
    assert {"Q", "u", "x"} <= skim(TRICKY.encode())[1]
    assert not {"r", "s", "d"} & skim(TRICKY.encode())[1]


# CL-2
@pytest.mark.parametrize("folder", [".", "asyncio", "email", "json", "importlib", "unittest", "multiprocessing"])
def test_the_imports_of_the_standard_library_are_those_that_ast_finds(folder: str) -> None:
    for path in sorted((LIBRARY / folder).glob("*.py")):
        source = path.read_bytes()
        assert skimmed(source) == by_ast(source), path


@given(st.binary(max_size=200) | st.text("from import ()'\"\\\n;,.#ab", max_size=200).map(str.encode))
def test_whatever_the_bytes_are_nothing_is_raised(data: bytes) -> None:
    skim(data)


@pytest.mark.parametrize(
    "part", [b'"""', b"'''\"", b"import ", b"from ", b"from .", b"\\\n", b"(", b'"\\', b"a,", b"#'"]
)
def test_hostile_source_takes_time_in_proportion_to_its_length(part: bytes) -> None:
    start = time.process_time()
    skim(part * (400_000 // len(part)))
    assert time.process_time() - start < 5
