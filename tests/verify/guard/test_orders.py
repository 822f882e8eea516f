"""The comparisons of a file are those of its code."""

import pytest

from healing.verify.guard.reading.orders import comparison_counts


# JD-5
@pytest.mark.parametrize(
    ("path", "code", "counted"),
    [
        ("a.py", "x = a < b <= c  # <\ny = '>='\nz = a >> b\nd: dict[str, int] = {}\n", {"<": 1, "<=": 1}),
        ("a.js", "// a <= b\nconst f = (a, b) => a < b && '>' >= b;\n", {"<": 1, ">=": 1}),
        ("a.ts", "const m: Map<string, number> = new Map<string, number>();\nconst x = m.size > 1;\n", {">": 1}),
        ("a.go", "package a\n\nfunc f(a int) bool { return a<<1 >= 2 } // <\n", {">=": 1}),
        ("a.rs", "fn f(a: Vec<u8>) -> bool { a.len() <= 2 /* < */ }\n", {"<=": 1}),
        ("a.rb", "x = a <= b\ny = a <=> b\n", {"<=": 1}),  # by its words
        ("a.py", "x = a <= (\n", {"<=": 1}),  # it can't be read
    ],
)
def test_signs_of_comments_texts_types_and_shifts_are_no_comparisons(
    path: str, code: str, counted: dict[str, int]
) -> None:
    assert comparison_counts(path, code.encode()) == counted
