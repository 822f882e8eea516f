"""A function that no longer reads what it is given is marked; one that only reads it in another way is not."""

import contextlib

import pytest

from healing.model import Category, CIError
from healing.verify.guard import RULES, unread
from healing.verify.guard.patch import WholeChange
from healing.verify.guard.reading.inputs import inputs
from healing.verify.guard.unread import findings

ERROR = CIError(id="E1", tool="pytest", category=Category.TEST, message="assert 1 == 2", test="tests/test_a.py::test_a")


def marked(path: str, old: str, new: str, by_tool: bool = False) -> list[str]:
    change = WholeChange.of({path: (old.encode(), new.encode())}, (ERROR,), lambda _: None, {}, by_tool)
    found = list(findings(change))
    assert all(one.flag and unread.findings in RULES for one in found)
    return [str(one) for one in found]


PYTHON = "class Shop:\n    def total(self, counts, rate=2):\n        return sum(counts) * rate + self.fee\n"
READS_LESS = {
    "Python": ("a.py", PYTHON, PYTHON.replace("sum(counts) * rate", "9 * rate")),
    "another name": ("a.py", PYTHON, PYTHON.replace("counts, rate=2", "_, rate=2").replace("sum(counts)", "9")),
    "swallowed": (
        "a.py",
        PYTHON,
        PYTHON.replace("self, counts, rate=2", "self, *_").replace("sum(counts) * rate", "9"),
    ),
    "only named": ("a.py", PYTHON, PYTHON.replace("return sum(counts)", "_ = counts\n        return 9")),
    "the object": ("a.py", PYTHON, PYTHON.replace(" + self.fee", " + 3")),
    "JavaScript": ("a.js", "function f(a, { b }) { return a + b; }\n", "function f(a, { b }) { return a + 3; }\n"),
    "an arrow": ("a.mjs", "export const f = (a, b) => a + b;\n", "export const f = (a, b) => b + 3;\n"),
    "TypeScript": (
        "a.ts",
        "class A { f(a: number, b = 1): number { return a + b; } }\n",
        "class A { f(a: number, b = 1): number { return b + 7; } }\n",
    ),
    "Go": (
        "a.go",
        "package a\n\nfunc F(a, b int) int { return a + b }\n",
        "package a\n\nfunc F(a, b int) int { return b + 2 }\n",
    ),
    "Go's receiver": (
        "a.go",
        "package a\n\nfunc (s *S) F(a int) int { return s.n + a }\n",
        "package a\n\nfunc (s *S) F(a int) int { return 2 + a }\n",
    ),
    "Rust": (
        "src/a.rs",
        "pub fn f(a: &[u8], b: u8) -> u8 { a[0] + b }\n",
        "pub fn f(_a: &[u8], b: u8) -> u8 { 4 + b }\n",
    ),
    "Rust's self": (
        "src/a.rs",
        "impl S { fn f(&self, b: u8) -> u8 { self.n + b } }\n",
        "impl S { fn f(&self, b: u8) -> u8 { 4 + b } }\n",
    ),
    "Java": (
        "A.java",
        "int f(int a, int[] b) {\n  return a + b[0];\n}\n",
        "int f(int a, int[] b) {\n  return a + 4;\n}\n",
    ),
    "Kotlin": (
        "a.kt",
        "fun f(a: Int, b: Int): Int {\n  return a + b\n}\n",
        "fun f(a: Int, b: Int): Int {\n  return a\n}\n",
    ),
    "PHP": (
        "a.php",
        "<?php\nfunction f($a, $b = 2) {\n  return $a + $b;\n}\n",
        "<?php\nfunction f($a, $b = 2) {\n  return 3 + $b;\n}\n",
    ),
    "Ruby": ("a.rb", "def f(a, b: 1)\n  a + b\nend\n", "def f(a, b: 1)\n  b + 3\nend\n"),
    "shell": ("a.sh", 'printf "%s" "$1" | tr a b\n', 'printf "%s" bbb\n'),
}


# JD-5
@pytest.mark.parametrize("case", READS_LESS.values(), ids=READS_LESS)
def test_a_function_that_no_longer_reads_what_it_is_given_is_marked(case: tuple[str, str, str]) -> None:
    assert marked(*case)


READS_OTHERWISE = {
    "another way": ("a.py", PYTHON, PYTHON.replace("sum(counts) * rate", "rate * sum(x for x in counts)")),
    "one parameter more": (
        "a.py",
        PYTHON,
        PYTHON.replace("counts, rate=2", "tax, counts, rate=2").replace("fee", "fee + tax"),
    ),
    "one parameter less": ("a.py", PYTHON, PYTHON.replace("counts, rate=2", "counts").replace(" * rate", "")),
    "another name": ("a.py", PYTHON, PYTHON.replace("counts", "numbers")),
    "by the parent's": ("a.py", PYTHON, PYTHON.replace("self.fee", "super().total(counts)")),
    "another method": (
        "a.py",
        PYTHON,
        f"class Sale(Shop):\n    def total(self, counts):\n        return len(counts)\n\n\n{PYTHON}",
    ),
    "never read": ("a.py", PYTHON.replace(" * rate", ""), PYTHON.replace(" * rate", "").replace("sum", "max")),
    "destructured": ("a.js", "const f = (a) => a.b;\n", "const f = ({ b }) => b;\n"),
    "shorthand": ("a.js", "const f = (a) => [a];\n", "const f = (a) => ({ a });\n"),
    "in a template": ("a.ts", "const f = (a: string) => a + '!';\n", "const f = (a: string) => `${a}!`;\n"),
    "a callback": ("a.js", "g((a, i) => a + i);\n", "g((a, i) => a);\n"),
    "captured": (
        "src/a.rs",
        'fn f(a: u8) -> String { a.to_string() + "!" }\n',
        'fn f(a: u8) -> String { format!("{a}!") }\n',
    ),
    "a new receiver": (
        "a.go",
        "package a\n\nfunc (s S) F(a int) int { return s.n + a }\n",
        "package a\n\nfunc (t T) F(a int) int { return a }\n\nfunc (s S) F(a int) int { return a + s.n }\n",
    ),
    "a loop's head": (
        "a.c",
        "int f(int a) {\n  if (a) { return a; }\n}\n",
        "int f(int a) {\n  while (a) { a--; }\n}\n",
    ),
    "every argument": ("a.sh", 'echo "$1"\n', 'for one in "$@"; do echo "$one"; done\n'),
}


# JD-6
@pytest.mark.parametrize("case", READS_OTHERWISE.values(), ids=READS_OTHERWISE)
def test_a_function_that_reads_it_in_another_way_is_not_marked(case: tuple[str, str, str]) -> None:
    assert marked(*case) == []


def test_what_a_tool_writes_is_not_marked() -> None:
    assert marked("a.py", PYTHON, PYTHON.replace(" * rate", ""), by_tool=True) == []


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.go", "a.rs", "a.java", "a.rb", "a.sh"])
@pytest.mark.parametrize("data", [b"\0\xff", b"fn f(" * 3_000, b"def f(a)\n" * 3_000, b"f(a) {" * 3_000, b"{" * 50_000])
def test_what_cannot_be_read_gives_no_mark_and_no_crash(path: str, data: bytes) -> None:
    with contextlib.suppress(ValueError, RecursionError):
        assert isinstance(inputs(path, data), dict)
    assert marked(path, data.decode("latin-1"), data.decode("latin-1") + "x") == []
