"""Calls that still pass what their function no longer takes."""

import pytest

from healing.model import Category
from tests.repair.fixers.repos import Broken

SOURCE = "fixer:removed_argument"


def called(file: str, was: str, now: str, call: str, message: str = "too many arguments to function") -> list[str]:
    """What becomes of a call in another file."""
    user = f"user{file[file.index('.') :]}"
    broken = Broken({file: now, user: call}, {file: was, user: call})
    broken.said(message, (user, 1), category=Category.COMPILE)
    return [broken.after(one).get(user, "") for one in broken.candidates() if one.source == SOURCE]


# AF-3
@pytest.mark.parametrize(
    ("file", "was", "now", "call", "expected"),
    [
        ("a.h", "int f(char *p, int n, int m);\n", "int f(char *p, int m);\n", "f(p, sizeof(p), 3);\n", "f(p, 3);\n"),
        ("a.h", "int f(char *p, int n);\n", "int f(char *p);\n", 'f("a, b", 3);\n', 'f("a, b");\n'),
        ("a.h", "int f(int n);\n", "int f(void);\n", "f(1);\n", "f();\n"),
        ("a.ts", "function f(a: A, b: B) {}\n", "function f(b: B) {}\n", "f(x, y);\n", "f(y);\n"),
        ("a.go", "func f(a int, b string) {}\n", "func f(a int) {}\n", "func g() { f(1, s) }\n", "func g() { f(1) }\n"),
    ],
)
def test_an_argument_goes_with_its_parameter(file: str, was: str, now: str, call: str, expected: str) -> None:
    assert called(file, was, now, call) == [expected]


# AF-3
@pytest.mark.parametrize(
    ("was", "now", "call"),
    [
        ("int f(char *p, int n);\n", "int f(char *p);\n", "f(p, next());\n"),
        ("int f(char *p, int n);\n", "int f(char *p);\n", "f(p);\n"),
        ("int f(char *p, int n);\n", "int f(long n);\n", "f(p, 1);\n"),
        ("int f(int a, int b, int c);\n", "int f(int c, int a);\n", "f(1, 2, 3);\n"),
    ],
)
def test_a_call_stays_where_it_is_not_clear_what_goes(was: str, now: str, call: str) -> None:
    assert called("a.h", was, now, call) == []
