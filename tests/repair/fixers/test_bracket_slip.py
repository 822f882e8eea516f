"""Brackets and commas that lack at the end of a line, in languages whose compilers only say that something does."""

import pytest

from healing.model import Category
from healing.repair.fixers.any_language.bracket_slip import repaired
from tests.repair.fixers.repos import Broken

LACKS = [
    ("a.js", "function f(s) {\n  if (s && s.is() {\n    return s;\n  }\n}\n", 2, "  if (s && s.is()) {\n"),
    ("a.js", "foo(a, b;\n", 1, "foo(a, b);\n"),
    ("a.js", "foo(a, [1, 2);\n", 1, "foo(a, [1, 2]);\n"),
    ("a.js", "const x = {\n  a: f(')'),\n  b: 1\n  c: 2,\n}\n", 4, "  b: 1,\n"),
    ("a.ts", "const f = (a: string, b: number => {\n  return a;\n};\n", 1, "const f = (a: string, b: number) => {\n"),
    ("a.go", "package a\n\nfunc f() {\n\tif g(x {\n\t}\n}\n", 4, "\tif g(x) {\n"),
    ("a.go", "package a\n\nvar x = []int{\n\t1,\n\t2\n}\n", 5, "\t2,\n"),
    ("a.rs", "fn f() {\n    let x = g(1;\n}\n", 2, "    let x = g(1);\n"),
    ("a.rs", "fn f() -> Vec<u8> {\n    vec![1, 2\n}\n", 3, "    vec![1, 2]\n"),
]


# AF-3
@pytest.mark.parametrize(("file", "text", "line", "expected"), LACKS)
def test_what_lacks_at_the_end_of_a_line_is_written_there(file: str, text: str, line: int, expected: str) -> None:
    go = "syntax error: unexpected newline in composite literal; possibly missing comma or }"
    message = go if file == "a.go" else "SyntaxError: Unexpected token"
    broken = Broken({file: text}).said(message, (file, line), category=Category.SYNTAX)
    (after,) = [broken.after(c) for c in broken.candidates() if c.source == "fixer:bracket_slip"]
    before, now = text.splitlines(keepends=True), after[file].splitlines(keepends=True)
    assert [new for old, new in zip(before, now, strict=True) if old != new] == [expected]


# AF-3
@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("a.js", "foo(a);\n", 1),  # nothing is wrong with it
        ("a.js", "function f() {\n  return 1;\n", 2),  # where its end belongs nobody knows
        ("a.js", "let 1x = 2;\n", 1),
        ("a.js", "foo(a;\nbar(b;\n", 1),  # one of two: the file doesn't parse with it
        ("a.js", "\n", 9),
    ],
)
def test_what_does_not_make_the_file_parse_is_not_proposed(file: str, text: str, line: int) -> None:
    broken = Broken({file: text}).said("SyntaxError: Unexpected token", (file, line), category=Category.SYNTAX)
    assert [c for c in broken.candidates() if c.source == "fixer:bracket_slip"] == []


def test_a_long_line_of_brackets_is_read_in_a_moment() -> None:
    assert list(repaired("a.js", b"([{" * 2000 + b"\n", 0)) == []


# AF-3
@pytest.mark.parametrize(
    ("file", "whole", "was", "now"),
    [
        ("a.js", "const f = (s) => {\n  return g(s[0], h(s)) + 1;\n};\n", "s[0], h(s))", "s[0, h(s))"),
        ("a.ts", "let m: Map<string, number[]> = new Map([[a(1), b]]);\n", "a(1), b", "a(1, b"),
        ("a.go", "package a\n\nvar x = f(g(1), 2)\n", "g(1), 2", "g(1, 2"),
        ("a.rs", "fn f() -> u8 {\n    g(h(1), 2)\n}\n", "h(1), 2", "h(1, 2"),
    ],
)
def test_what_a_line_lost_within_it_is_what_it_had_before(file: str, whole: str, was: str, now: str) -> None:
    text = whole.replace(was, now)
    line = next(n for n, one in enumerate(text.splitlines(), 1) if now in one)
    broken = Broken({file: text}, {file: whole}).said("SyntaxError: x", (file, line), category=Category.SYNTAX)
    assert [broken.after(c) for c in broken.candidates() if c.source == "fixer:bracket_slip"] == [{file: whole}]


# AF-3
@pytest.mark.parametrize("left", ["", "\n"], ids=["line", "bracket alone"])
@pytest.mark.parametrize(
    ("file", "whole"),
    [
        ("a.go", "package a\n\nfunc f() string {\n\treturn g()\n}\n\nfunc h() {}\n"),
        ("a.rs", "impl A {\n    fn f() -> u8 {\n        g()\n    }\n}\n\nfn h() {}\n"),
        ("a.js", "describe('a', () => {\n  it('b', () => c());\n});\n\nd();\n"),
    ],
)
def test_a_lost_line_of_closing_brackets_comes_back(file: str, whole: str, left: str) -> None:
    lines = whole.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if line.strip() in ("}", "});"))
    text = "".join([*lines[:at], left, *lines[at + 1 :]])
    said = "this file contains an unclosed delimiter"
    broken = Broken({file: text}, {file: whole}).said(said, (file, len(lines)), category=Category.SYNTAX)
    assert {file: whole} in [broken.after(c) for c in broken.candidates() if c.source == "fixer:bracket_slip"]
