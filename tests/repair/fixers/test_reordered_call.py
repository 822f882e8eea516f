"""Calls whose arguments have the order from before a pull request, and definitions that it repeats."""

import pytest

from healing.model import Category
from tests.repair.fixers.repos import Broken

RUST = "arguments to this function are incorrect"
TS = "Argument of type 'string' is not assignable to parameter of type 'number'."
C = "passing argument 1 of ‘label’ makes integer from pointer without a cast"
GO = 'cannot use "a" (untyped string constant) as int value in argument to label'


def proposed(before: dict[str, str], now: dict[str, str], message: str, file: str, line: int) -> list[dict[str, str]]:
    broken = Broken({**before, **now}, before=before).said(message, (file, line), category=Category.TYPE)
    wanted = ("fixer:reordered_call", "fixer:repeated_definition")
    return [broken.after(c) for c in broken.candidates() if c.source in wanted]


# AF-3
@pytest.mark.parametrize(
    ("file", "old", "new", "was", "expected", "message"),
    [
        ("a.rs", "fn label(name: &str, n: usize) {}", "fn label(n: usize, name: &str) {}",
         'println!("{}", label("a, b", f(1, 2)));', 'println!("{}", label(f(1, 2), "a, b"));', RUST),
        ("a.rs", "impl A {\n    fn label(&self, name: &str, n: usize) {}\n}",
         "impl A {\n    fn label(&self, n: usize, name: &str) {}\n}",
         "a.label(b, 1);", "a.label(1, b);", RUST),
        ("a.ts", "function label(a: string, b: number, c: Date) {}", "function label(c: Date, a: string, b: number) {}",
         'label("x", 1, new Date());', 'label(new Date(), "x", 1);', TS),
        ("a.ts", "const label = (a: string, b: number) => 1;", "const label = (\n  b: number,\n  a: string,\n) => 1;",
         'label(\n  "(x",\n  2,\n);', 'label(\n  2,\n  "(x",\n);', TS),
        ("a.go", "package a\nfunc label(name string, n int) {}", "package a\nfunc label(n int, name string) {}",
         'var x = label("a", n)', 'var x = label(n, "a")', GO),
        ("a.h", "int label(const char *name, int n);", "int label(int n, const char *name);",
         'label("a, b", f(1));', 'label(f(1), "a, b");', C),
    ],
)  # fmt: skip
def test_a_call_follows_the_order_of_the_parameters(
    file: str, old: str, new: str, was: str, expected: str, message: str
) -> None:
    use = f"b{file[1:]}".replace(".h", ".c")
    (after,) = proposed({file: old + "\n", use: was + "\n"}, {file: new + "\n"}, message, use, 1)
    assert after == {use: expected + "\n"}


# AF-3
@pytest.mark.parametrize(
    ("old", "new", "use", "line"),
    [
        ("a: string, b: number", "b: number, c: string", 'label("x", 1);', 1),  # one was renamed as well
        ("a: string, b: number", "b: number, a: string | null", 'label("x", 1);', 1),
        ("a: string, b: number", "b: number, a: string", 'label("x");', 1),  # another number of arguments
        ("a: string, b: number", "b: number, a: string", 'label(...x, 1, 2);', 1),
        ("a: string, b: number", "b: number, a: string", 'other("x", 1);', 1),
        ("a: string, b: number", "b: number, a: string", '// label("x", 1)\nlabels("x", 1);', 2),
        ("a: string, b: number", "b: number, a: string", 'label("x", 1);\nother("y");', 2),  # no error is there
        ("a: string, b: number", "a: string, b: number", 'label(1, "x");', 1),  # the parameters are as they were
    ],
)  # fmt: skip
def test_a_call_that_does_not_fit_stays(old: str, new: str, use: str, line: int) -> None:
    before = {"a.ts": f"function label({old}) {{}}\n", "b.ts": use + "\n"}
    assert proposed(before, {"a.ts": f"function label({new}) {{}}\n"}, TS, "b.ts", line) == []


# AF-3
def test_a_call_that_the_pull_request_wrote_stays() -> None:
    before = {"a.ts": "function label(a: string, b: number) {}\n", "b.ts": "label(x, 1);\n"}
    now = {"a.ts": "function label(b: number, a: string) {}\n", "b.ts": 'label("x", 1);\n'}
    assert proposed(before, now, TS, "b.ts", 1) == []


# AF-3
def test_go_reports_one_call_of_a_file_and_all_follow_but_no_other_definition() -> None:
    other = "\nfunc (o Other) label(name string, n int) {}\n"
    old = f'package a\n\nfunc f() {{\n\tlabel("a", 1)\n\tlabel("b", 2)\n}}\n{other}'
    before = {"a.go": "package a\n\nfunc label(name string, n int) {}\n", "b.go": old}
    now = {"a.go": "package a\n\nfunc label(n int, name string) {}\n"}
    one = old.replace('"a", 1', '1, "a"')
    found = proposed(before, now, GO, "b.go", 4)
    assert found == [{"b.go": one}, {"b.go": one.replace('"b", 2', '2, "b"')}]


# AF-3
@pytest.mark.parametrize(
    ("now", "expected"),
    [('label(1, "x");\n', ['label("x", 1);\n']), ('label(2, "x");\n', []), ('label(1, x, "");\n', [])],
)
def test_arguments_that_the_pull_request_only_put_in_another_order_go_back(now: str, expected: list[str]) -> None:
    before = {"a.ts": "function label(a: string, b: number) {}\n", "b.ts": 'label("x", 1);\n'}
    assert proposed(before, {"b.ts": now}, TS, "b.ts", 1) == [{"b.ts": text} for text in expected]


# AF-3
def test_in_c_calls_follow_in_files_that_make_did_not_reach() -> None:
    before = {"a.h": "int label(char *name, int n);\n", "b.c": "label(p, 1);\n", "c.c": "label(q, 2);\n"}
    now = {"a.h": "int label(int n, char *name);\n"}
    first, whole = proposed(before, now, C, "b.c", 1)
    assert first == {"b.c": "label(1, p);\n"}
    assert whole == {"b.c": "label(1, p);\n", "c.c": "label(2, q);\n"}


# AF-3
def test_of_two_functions_of_one_name_neither_is_followed() -> None:
    old = "class A {\n  label(a: string, b: number) {}\n}\nclass B {\n  label(a: string, b: number) {}\n}\n"
    now = old.replace("a: string, b: number", "b: number, a: string", 1)
    assert proposed({"a.ts": old, "b.ts": 'x.label("a", 1);\n'}, {"a.ts": now}, TS, "b.ts", 1) == []


# AF-3
def test_parameters_of_one_type_say_nothing_of_their_own() -> None:
    old, now = "package a\nfunc label(a, b int, s string) {}\n", "package a\nfunc label(b, a int, s string) {}\n"
    assert proposed({"a.go": old, "b.go": "var x = label(1, 2, y)\n"}, {"a.go": now}, GO, "b.go", 1) == []


TWICE = "fn twice(n: i32) -> i32 {\n    n * 2\n}\n"
MAIN = "fn main() {\n    twice(2);\n}\n"
DEFINED = "the name `twice` is defined multiple times"


# AF-3
@pytest.mark.parametrize(("now", "line"), [(f"{TWICE}\n{TWICE}\n{MAIN}", 5), (f"{TWICE}\n{MAIN}\n{TWICE}", 9)])
def test_the_second_of_two_identical_definitions_goes(now: str, line: int) -> None:
    (after,) = proposed({"a.rs": f"{TWICE}\n{MAIN}"}, {"a.rs": now}, DEFINED, "a.rs", line)
    assert after["a.rs"] == f"{TWICE}\n{MAIN}"


# AF-3
def test_a_repeated_entry_goes_and_what_was_added_with_it_stays() -> None:
    was = 'package a\n\nvar m = map[string]int{\n\t"a": 1,\n\t"c": 3,\n}\n'
    now = was.replace('\t"c": 3,\n', '\t"c": 3,\n\t"a": 1,\n\t"d": 4,\n')
    (after,) = proposed({"a.go": was}, {"a.go": now}, 'duplicate key "a" in map literal', "a.go", 6)
    assert after == {"a.go": was.replace('\t"c": 3,\n', '\t"c": 3,\n\t"d": 4,\n')}


# AF-3
def test_a_repeated_line_goes_beside_one_that_changed() -> None:
    was = "function f(a) {\n  const b = g(a);\n  return b;\n}\n"
    now = was.replace("  return b;\n", "  const b = g(a);\n  return b + 1;\n")
    (after,) = proposed({"a.ts": was}, {"a.ts": now}, "Cannot redeclare block-scoped variable 'b'.", "a.ts", 3)
    assert after == {"a.ts": was.replace("return b", "return b + 1")}


# AF-3
@pytest.mark.parametrize(
    ("now", "line"),
    [
        ({"a.rs": f"{TWICE}\n{TWICE.replace('2', '3')}\n{MAIN}"}, 5),  # which of them is right?
        ({"b.rs": TWICE}, 1),  # it may have been meant to move
        ({"a.rs": f"{TWICE}\n{TWICE}\n{TWICE}\n{MAIN}"}, 5),
    ],
)
def test_a_definition_that_differs_or_is_elsewhere_stays(now: dict[str, str], line: int) -> None:
    file = next(iter(now))
    assert proposed({"a.rs": f"{TWICE}\n{MAIN}", "b.rs": ""}, now, DEFINED, file, line) == []
