"""The same mistake keeps its fingerprint across runs and line shifts; another mistake has another one."""

import pytest

from healing.logs.fingerprint import fingerprint
from healing.logs.reading import read_log

TRACEBACK = "Traceback (most recent call last):\n"


def of(log: str) -> list[str]:
    return [fingerprint(error) for error in read_log(log.encode()).errors]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a.py:3:1: F401 `os` imported but unused\n", "a.py:90:5: F401 `os` imported but unused\n"),
        (
            'a.py:3: error: Name "f" already defined on line 1  [no-redef]\n',
            'a.py:8: error: Name "f" already defined on line 6  [no-redef]\n',
        ),
        (
            f'{TRACEBACK}  File "a.py", line 1, in f\nValueError: <A at 0x7f12ab34> in /tmp/x1/f, 0.21s\n',
            f'{TRACEBACK}  File "a.py", line 9, in f\nValueError: <A at 0x7fff0001> in /tmp/q9/f, 3.5s\n',
        ),
        (
            f'{TRACEBACK}  File "a.py", line 1, in f\n'
            "ImportError: cannot import name 'f' from 'a' (/home/runner/work/r/r/pkg/a.py)\n",
            f"{TRACEBACK}  File \"a.py\", line 1, in f\nImportError: cannot import name 'f' from 'a' (pkg/a.py)\n",
        ),
    ],
)
def test_lines_addresses_temporary_paths_and_times_do_not_matter(before: str, after: str) -> None:
    assert of(before) == of(after)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a.py:3:1: F401 `os` imported but unused\n", "b.py:3:1: F401 `os` imported but unused\n"),
        ("a.py:3:1: F401 `os` imported but unused\n", "a.py:3:1: F401 `sys` imported but unused\n"),
        ("a.py:3:1: F821 Undefined name `x`\n", "a.py:3:1: F822 Undefined name `x`\n"),
        ("FAILED t.py::test_a - assert 1 == 2\n", "FAILED t.py::test_b - assert 1 == 2\n"),
        ("FAILED t.py::test_a - assert 1 == 2\n", "FAILED t.py::test_a - assert 1 == 3\n"),
    ],
)
def test_file_code_test_and_words_do_matter(one: str, other: str) -> None:
    summary = "=== short test summary info ===\n"
    assert of(summary + one) != of(summary + other)
