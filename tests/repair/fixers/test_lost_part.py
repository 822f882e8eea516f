"""What a pull request removed although something still needs it: a word of a declaration, a case, a return."""

import pytest

from healing.model import Category
from healing.repair.fixers.losses import elements
from tests.repair.fixers.repos import Broken

TS = "function cents(x: number): number {\n  return Math.round(x * 100);\n}\n"
LOCAL = "Module '\"./money\"' declares 'cents' locally, but it is not exported."
UNITS = "enum Unit { Day, Week, Month }\n\nfn days(u: &Unit) -> u32 {\n    match u {\n        Unit::Day => 1,\n"
UNITS += "        Unit::Week => 7,\n        Unit::Month => 30,\n    }\n}\n"
WEEK = "non-exhaustive patterns: `&Unit::Week` not covered"
PY_SQUARE = "class Square(Shape):\n    def area(self):\n        return 4\n\n    def name(self):\n        return 'x'\n"
SQUARE = (
    "package shop\n\nfunc (s Square) Area() int {\n\treturn 4\n}\n\nfunc (s Square) Name() string {\n\treturn s.n\n}\n"
)
DAYS = 'func days(u string) int {\n\tif u == "week" {\n\t\treturn 7\n\t}\n\treturn 1\n}\n\nfunc no() {\n\tprint(1)\n}\n'


def proposed(before: dict[str, str], now: dict[str, str], message: str, file: str, line: int) -> list[dict[str, str]]:
    broken = Broken({**before, **now}, before=before).said(message, (file, line), category=Category.COMPILE)
    return [broken.after(c) for c in broken.candidates() if c.source == "fixer:lost_part"]


# AF-3
@pytest.mark.parametrize(
    ("file", "was", "lost", "message"),
    [
        ("money.ts", "export " + TS, "export ", LOCAL),
        ("money.js", "export " + TS, "export ", "SyntaxError: '../money.js' does not provide an export named 'cents'"),
        ("money.js", TS + "module.exports = { cents, euros };\n", "cents, ",
         "TypeError: money.cents is not a function"),
        ("money.js", TS + "module.exports = {\n  cents,\n  euros,\n};\n", "  cents,\n", "cents is not a function"),
        ("index.ts", 'export { cents } from "./money";\nexport const a = 1;\n', 'export { cents } from "./money";\n',
         "Module '\"./index\"' has no exported member 'cents'."),
        ("index.ts", 'export {\n  a,\n  cents,\n} from "./money";\n', "  cents,\n",
         "Module '\"./index\"' has no exported member 'cents'."),
        ("money.ts", "export default " + TS, "export default ", "Module '\"./money\"' has no default export."),
        ("money.ts", TS + "\nexport default cents;\n", "\nexport default cents;\n",
         "SyntaxError: The requested module './money' does not provide an export named 'default'"),
        ("money.rs", "pub fn cents(x: f64) -> i64 {\n    1\n}\n", "pub ", "function `cents` is private"),
        ("money.rs", "pub(crate) fn cents(x: f64) -> i64 {\n    1\n}\n", "pub(crate) ", "function `cents` is private"),
    ],
)  # fmt: skip
def test_what_made_a_name_visible_to_its_users_comes_back(file: str, was: str, lost: str, message: str) -> None:
    before = {file: was, "main.ts": 'import { cents } from "./money";\n\ncents(1);\n'}
    assert proposed(before, {file: was.replace(lost, "", 1)}, message, "main.ts", 1) == [{file: was}]


# AF-3
def test_a_field_becomes_visible_again_and_not_the_struct_around_it() -> None:
    was = "pub struct Wallet {\n    pub sum: i64,\n    pub name: String,\n}\n"
    now = was.replace("pub sum", "sum").replace("pub name", "name")
    message = "field `sum` of struct `Wallet` is private"
    before = {"src/money.rs": was, "src/main.rs": "fn main() {\n    w.sum;\n}\n"}
    expected = [{"src/money.rs": was.replace("pub name", "name")}]
    assert proposed(before, {"src/money.rs": now}, message, "src/main.rs", 2) == expected


# AF-3
@pytest.mark.parametrize(
    ("changes", "count"),
    [
        ({"money.ts": TS.replace("100", "1000")}, 1),
        ({"other.ts": "cents(2);\n"}, 0),  # an import of it was removed, too
        ({"money.ts": TS + "\nexport const toCents = cents;\n"}, 0),  # what others are to use now
        ({"money.ts": TS.replace("number):", "number, y = 0):")}, 0),  # the line changed in another way, too
        ({"money.ts": "// Nothing is here.\n"}, 0),
        ({"docs.md": "`cents` is internal now.\n"}, 0),
    ],
)
def test_a_name_that_may_be_hidden_on_purpose_stays_hidden(changes: dict[str, str], count: int) -> None:
    use = 'import { cents } from "./money";\n\ncents(1);\n'
    before = {"money.ts": "export " + TS, "main.ts": use, "other.ts": use, "docs.md": ""}
    assert len(proposed(before, {"money.ts": TS, **changes}, LOCAL, "main.ts", 1)) == count


# AF-3
@pytest.mark.parametrize(
    "message",
    [
        "TypeError: (0 , _money.cents) is not a function",
        "export 'cents' (imported as 'cents') was not found in './money'",
        "SyntaxError: Named export 'cents' not found. The requested module './money' is a CommonJS module",
        '"cents" is not exported by "money.ts", imported by "main.ts".',
        'No matching export in "money.ts" for import "cents"',
    ],
)
def test_test_runners_and_bundlers_report_a_lost_export_in_their_words(message: str) -> None:
    assert proposed({"money.ts": "export " + TS}, {"money.ts": TS}, message, "main.ts", 1)


# AF-3
@pytest.mark.parametrize(("other", "count"), [({}, 1), ({"b.ts": "f(two);\n"}, 0)])
def test_a_file_that_exports_nothing_any_more_gets_all_its_exports_back(other: dict[str, str], count: int) -> None:
    """Unless a use of one of them was removed or written as well: then it isn't clear which are meant to be private."""
    was = "export const one = 1;\nexport const two = 2;\n"
    before = {"a.ts": was, "b.ts": "f();\n"}
    now = {"a.ts": was.replace("export ", ""), **other}
    assert proposed(before, now, "File 'a.ts' is not a module.", "main.ts", 1) == [{"a.ts": was}] * count


ASYNC = "async function f() {\n  return await g();\n}\n\nasync function h() {\n  return await g();\n}\n"


# AF-3
@pytest.mark.parametrize(
    ("now", "count"),
    [
        (ASYNC.replace("async ", "", 1), 1),
        (ASYNC.replace("async ", ""), 0),  # which of them?
        (ASYNC.replace("async ", "", 1).replace("return await g();\n}\n\n", "return g();\n}\n\n"), 0),
    ],
)
def test_a_function_that_waits_gets_its_async_back(now: str, count: int) -> None:
    message = "SyntaxError: await is only valid in async functions and the top level bodies of modules"
    assert len(proposed({"a.js": ASYNC}, {"a.js": now}, message, "a.js", 2)) == count


# AF-3
@pytest.mark.parametrize(
    ("now", "count"),
    [
        (ASYNC.replace("await ", "", 1), 1),
        (ASYNC.replace("await ", ""), 0),
        (ASYNC.replace("async function f() {\n  return await", "function f() {\n  return"), 0),
    ],
)
def test_a_value_is_waited_for_again(now: str, count: int) -> None:
    found = proposed({"a.js": ASYNC}, {"a.js": now}, "TypeError: f(...).add is not a function", "a.js", 2)
    assert found == [{"a.js": ASYNC}] * count


# AF-3
def test_of_two_places_that_lost_the_word_none_is_guessed() -> None:
    before = {"a.ts": "export " + TS, "b.ts": "export " + TS}
    assert proposed(before, {"a.ts": TS, "b.ts": TS}, LOCAL, "main.ts", 1) == []


# AF-3
@pytest.mark.parametrize(
    ("file", "was", "lost", "message"),
    [
        ("a.rs", UNITS, "        Unit::Week => 7,\n", WEEK),
        ("a.rs", "fn f(n: u8) {\n    match n {\n        1 => g(),\n        _ => h(),\n    }\n}\n",
         "        _ => h(),\n", "non-exhaustive patterns: `0_u8` and `2_u8..=u8::MAX` not covered"),
        ("a.rs", "let p = P {\n    x: 1,\n    y: 2,\n};\n", "    y: 2,\n", "missing field `y` in initializer of `P`"),
        ("a.rs", "impl T for P {\n    fn a() {\n    }\n\n    fn b() {\n        c();\n    }\n}\n",
         "\n    fn b() {\n        c();\n    }\n", "not all trait items implemented, missing: `b`"),
        ("a.ts", "const D: R = {\n  day: 1,\n  week: 7,\n};\n", "  week: 7,\n",
         "Property 'week' is missing in type '{ day: number; }' but required in type 'R'."),
        ("a.ts", "const D: R = { day: 1, week: 7 };\n", ", week: 7",
         "Property 'week' is missing in type '{ day: number; }' but required in type 'R'."),
        ("a.ts", "const D: R = {\n  day: 1,\n  week: 7,\n  year: f(\n    1,\n  ),\n};\n",
         "  week: 7,\n  year: f(\n    1,\n  ),\n",
         "Type '{ day: number; }' is missing the following properties from type 'R': week, year"),
        ("a.ts", "switch (u) {\n  case 'day':\n    return 1;\n  case 'week':\n    return 7;\n}\n",
         "  case 'week':\n    return 7;\n", "Type '\"week\"' is not assignable to type 'never'."),
        ("a.go", SQUARE, "func (s Square) Name() string {\n\treturn s.n\n}\n",
         "cannot use s (type Square) as type Shape: Square does not implement Shape (missing method Name)"),
        ("a.py", PY_SQUARE, "\n    def name(self):\n        return 'x'\n",
         "TypeError: Can't instantiate abstract class Square with abstract method name"),
    ],
)  # fmt: skip
def test_what_a_type_demands_comes_back(file: str, was: str, lost: str, message: str) -> None:
    assert lost in was
    assert proposed({file: was}, {file: was.replace(lost, "", 1)}, message, file, 2) == [{file: was}]


# AF-3
@pytest.mark.parametrize("line", ["        Unit::Day => 1,\n", "        Unit::Month => 30,\n"])
def test_a_case_comes_back_beside_one_that_changed(line: str) -> None:
    was, changed = UNITS, line.replace(",", " + 1,")
    now = was.replace("        Unit::Week => 7,\n", "").replace(line, changed)
    assert proposed({"a.rs": was}, {"a.rs": now}, WEEK, "a.rs", 4) == [{"a.rs": was.replace(line, changed)}]


# AF-3
def test_a_case_in_whose_place_another_is_stays_away() -> None:
    now = UNITS.replace("Unit::Week => 7", "Unit::Decade => 3650")
    assert proposed({"a.rs": UNITS}, {"a.rs": now}, WEEK, "a.rs", 4) == []


# AF-3
def test_only_the_entry_that_is_named_comes_back() -> None:
    was = "const D: R = {\n  day: 1,\n  week: 7,\n  old: 9,\n};\n"
    now = was.replace("  week: 7,\n  old: 9,\n", "")
    message = "Property 'week' is missing in type '{ day: number; }' but required in type 'R'."
    assert proposed({"a.ts": was}, {"a.ts": now}, message, "a.ts", 1) == [{"a.ts": was.replace("  old: 9,\n", "")}]


# AF-3
@pytest.mark.parametrize(
    ("now", "message"),
    [
        ({"b.rs": "fn g() {}\n"}, WEEK),  # another use of it was removed
        ({"b.rs": "fn g() { f(Unit::Week); Unit::Week }\n"}, WEEK),  # it is handled elsewhere now
        ({"notes.md": "Week is gone.\n"}, WEEK),
        ({}, "non-exhaustive patterns: `&Unit::Year` not covered"),  # new, so that it was never handled
        ({}, "non-exhaustive patterns: `&Unit::Week`, `&Unit::Year` and 2 more not covered"),  # not all are named
        ({"a.rs": UNITS.replace("Unit::Week => 7", "Unit::Week if long => 8")}, WEEK),
    ],
)
def test_a_case_that_may_be_gone_on_purpose_stays_away(now: dict[str, str], message: str) -> None:
    before = {"a.rs": UNITS, "b.rs": "fn g() { f(Unit::Week); }\n", "notes.md": ""}
    changes = {"a.rs": UNITS.replace("        Unit::Week => 7,\n", ""), **now}
    assert proposed(before, changes, message, "a.rs", 4) == []


# AF-3
def test_the_method_of_another_type_is_not_it() -> None:
    now = SQUARE.replace("func (s Square) Name() string {\n\treturn s.n\n}\n", "")
    message = "Circle does not implement Shape (missing method Name)"
    assert proposed({"a.go": SQUARE}, {"a.go": now}, message, "a.go", 1) == []


# AF-3
@pytest.mark.parametrize(
    ("now", "healed"),
    [
        (DAYS.replace("\treturn 1\n", ""), True),
        (DAYS.replace("\treturn 1\n", "").replace("return 7", "return 8"), False),  # the function was rewritten
        (DAYS.replace("\treturn 1\n", "\tprint(u)\n"), False),
        (DAYS.replace("\treturn 1\n", "").replace("print(1)", "print(2)"), True),  # another function was
    ],
)
def test_a_function_gets_the_return_that_it_lost_if_nothing_else_in_it_changed(now: str, healed: bool) -> None:
    line = now[: now.index("\n}\n")].count("\n") + 2
    found = proposed({"a.go": DAYS}, {"a.go": now}, "missing return", "a.go", line)
    assert ["\treturn 1\n}\n" in after["a.go"] for after in found] == [True] * healed


# AF-3
def test_a_function_in_c_gets_the_return_that_it_lost() -> None:
    was = "int f(int n)\n{\n    if (n) {\n        return 1;\n    }\n    return 0;\n}\n\nint g;\n"
    now = was.replace("    return 0;\n", "")
    message = "control reaches end of non-void function"
    assert proposed({"a.c": was}, {"a.c": now}, message, "a.c", 6) == [{"a.c": was}]
    assert proposed({"a.c": was}, {"a.c": now.replace("return 1", "return 2")}, message, "a.c", 6) == []


# AF-3
def test_lines_are_told_apart_by_what_is_at_the_least_indentation() -> None:
    first, second = ["@a\n", "def f(\n", "  x,\n", "):\n", "  y\n", "\n"], ["# b\n", "def g():\n", "  z\n"]
    assert elements([s.encode() for s in first + second]) == [[s.encode() for s in p] for p in (first, second)]
    assert elements([b"}\n", b"f() {\n"]) == []
