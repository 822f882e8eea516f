"""What a pull request renamed, followed by those who still say the old name: fields, attributes, any language."""

# ruff: noqa: E501  (files of Rust in a line each)

import pytest

from healing.model import Category
from tests.repair.fixers.repos import Broken

ENTRY = "class Entry:\n    def __init__(self, amount):\n        self.amount = amount\n"
USE = "from shop.entry import Entry\n\n\ndef total(entries):\n    return sum(e.amount for e in entries)\n"
OTHER = "class Line:\n    def __init__(self):\n        self.amount = 0\n\n\ndef of(line):\n    return line.amount\n"
LOST = "AttributeError: 'Entry' object has no attribute 'amount'"


def renamed(now: dict[str, str], base: dict[str, str], message: str, place: tuple[str, int]) -> list[dict[str, str]]:
    """What the fixers for renamings make of the files, the first candidate first."""
    broken = Broken({**base, **now}, before=base).said(message, place, category=Category.TEST)
    return [broken.after(c) for c in broken.candidates() if c.source.startswith("fixer:renamed_")]


# AF-3
def test_an_attribute_that_was_renamed_gets_its_name_back_or_is_followed() -> None:
    base = {"shop/__init__.py": "", "shop/entry.py": ENTRY, "shop/use.py": USE}
    now = {"shop/entry.py": ENTRY.replace("self.amount", "self.value")}
    made = renamed(now, base, LOST, ("shop/use.py", 5))
    assert made == [{"shop/use.py": USE.replace("e.amount", "e.value")}, {"shop/entry.py": ENTRY}]


# AF-3
def test_where_the_change_itself_has_begun_to_follow_the_rest_follows_first() -> None:
    """As in typeguard, where giving the name back left its import unsorted."""
    use = "from shop.a import {0}\n\n\ndef f(x):\n    return {0}(x) or {1}(x) or {1}(-x) or {1}(0)\n"
    base = {
        "shop/__init__.py": "",
        "shop/a.py": "def price(x):\n    return x\n",
        "shop/use.py": use.format("price", "price"),
    }
    now = {"shop/a.py": "def cost(x):\n    return x\n", "shop/use.py": use.format("cost", "price")}
    first, *_ = renamed(now, base, "NameError: name 'price' is not defined", ("shop/use.py", 5))
    assert first == {"shop/use.py": use.format("cost", "cost")}


# AF-3
def test_the_attribute_of_another_class_is_left_alone() -> None:
    base = {"shop/__init__.py": "", "shop/entry.py": ENTRY, "shop/use.py": USE, "shop/line.py": OTHER}
    now = {"shop/entry.py": ENTRY.replace("self.amount", "self.value")}
    made = renamed(now, base, LOST, ("shop/use.py", 5))
    assert made == [{"shop/entry.py": ENTRY}, {"shop/use.py": USE.replace("e.amount", "e.value")}]
    taken = {"shop/entry.py": ENTRY.replace("self.amount", "self.get")}  # whoever says `.get` may mean any dict
    assert renamed(taken, base, LOST, ("shop/use.py", 5)) == [{"shop/use.py": USE.replace("e.amount", "e.get")}]


# AF-3
def test_a_field_is_followed_in_the_calls_that_name_it() -> None:
    entry = "from dataclasses import dataclass\n\n\n@dataclass\nclass Entry:\n    amount: int\n"
    use = "from shop.entry import Entry\n\n\ndef one():\n    return Entry(amount=1)\n"
    base = {"shop/__init__.py": "", "shop/entry.py": entry, "shop/use.py": use}
    now = {"shop/entry.py": entry.replace("amount", "value")}
    message = "TypeError: Entry.__init__() got an unexpected keyword argument 'amount'"
    made = renamed(now, base, message, ("shop/use.py", 5))
    assert {"shop/use.py": use.replace("amount", "value")} in made


# AF-3
def test_a_field_that_other_classes_have_too_is_followed_in_all_calls_of_its_own_class() -> None:
    fields = "from dataclasses import dataclass\n\n\n@dataclass\nclass Entry:\n    amount: int\n"
    other = "\n\n@dataclass\nclass Line:\n    amount: int\n"
    use = "from shop.entry import Entry, Line\n\n\ndef one():\n    return Entry(amount=1)\n\n\n"
    use += "def two():\n    return Line(amount=1), Entry(amount=2), one().amount\n"
    base = {"shop/__init__.py": "", "shop/entry.py": fields + other, "shop/use.py": use, "tests/test_use.py": use}
    now = {"shop/entry.py": fields.replace("amount", "value") + other}
    message = "TypeError: Entry.__init__() got an unexpected keyword argument 'amount'"
    product, tests = [made for made in renamed(now, base, message, ("shop/use.py", 5)) if "shop/entry.py" not in made]
    followed = use.replace("Entry(amount", "Entry(value")
    assert product == {"shop/use.py": followed}
    assert tests == {"shop/use.py": followed, "tests/test_use.py": followed}
    # Where two classes have the name, only the place that the error names is certain.
    twice = {**base, "shop/more.py": fields}
    first, *_ = [m for m in renamed(now, twice, message, ("shop/use.py", 5)) if "shop/entry.py" not in m]
    assert first == {"shop/use.py": use.replace("Entry(amount", "Entry(value", 1)}


# AF-3
def test_a_value_of_a_module_is_followed() -> None:
    base = {"shop/__init__.py": "", "shop/limits.py": "MOST = 10\n", "shop/use.py": "from shop.limits import MOST\n"}
    message = "ImportError: cannot import name 'MOST' from 'shop.limits' (shop/limits.py)"
    made = renamed({"shop/limits.py": "MOST_ITEMS = 10\n"}, base, message, ("shop/use.py", 1))
    assert {"shop/use.py": "from shop.limits import MOST_ITEMS\n"} in made


# AF-3
@pytest.mark.parametrize(
    ("file", "was", "now", "use", "reported", "followed"),
    [
        (
            "src/money.ts",
            "export interface Money {\n  cents: number;\n}\n",
            "export interface Money {\n  minor: number;\n}\n",
            ("src/use.ts", "export const of = (m: Money) => m.cents * 2;\n"),
            "Property 'cents' does not exist on type 'Money'.",
            "export const of = (m: Money) => m.minor * 2;\n",
        ),
        (
            "stock.go",
            "func Parse(line string) Item {\n",
            "func ParseLine(line string) Item {\n",
            ("total.go", "\titem := Parse(line)\n"),
            "undefined: Parse",
            "\titem := ParseLine(line)\n",
        ),
        (
            "src/item.rs",
            "    pub fn new(name: &str) -> Self {\n",
            "    pub fn create(name: &str) -> Self {\n",
            ("src/lib.rs", "    let item = Item::new(name);\n"),
            "no function or associated item named `new` found for struct `Item` in the current scope",
            "    let item = Item::create(name);\n",
        ),
    ],
)
def test_any_language_follows_a_name_that_the_pull_request_wrote_again(
    file: str, was: str, now: str, use: tuple[str, str], reported: str, followed: str
) -> None:
    path, text = use
    assert renamed({file: now}, {file: was, path: text}, reported, (path, 1))[0] == {path: followed}


# AF-3
def test_a_word_that_no_error_names_is_not_touched() -> None:
    base = {"a.go": "func Parse() {}\n", "b.go": "\tParse()\n"}
    assert renamed({"a.go": "func Read() {}\n"}, base, "undefined: Other", ("b.go", 1)) == []


# AF-3
def test_where_a_test_still_says_the_old_name_it_comes_back_and_no_test_is_touched() -> None:
    base = {"a.go": "type Item struct {\n\tCount int\n}\n", "a_test.go": "\tif item.Count != 1 {\n"}
    reported = "item.Count undefined (type Item has no field or method Count)"
    now = {"a.go": base["a.go"].replace("Count", "Amount")}
    assert renamed(now, base, reported, ("a_test.go", 1)) == [{"a.go": base["a.go"]}]
    both = {**base, "a.go": base["a.go"] + "var Amount int\n"}  # whoever says `Amount` may mean another one
    back = renamed({"a.go": both["a.go"].replace("Count", "Amount")}, both, reported, ("a_test.go", 1))
    assert back == [{"a.go": both["a.go"]}], "the other one keeps its name"


# AF-3
def test_tests_follow_first_where_all_of_the_product_has_the_new_name() -> None:
    base = {"a.go": "func Count() int {\n", "b.go": "\treturn Count()\n", "a_test.go": '\tt.Fatal(Count(), "Count")\n'}
    now = {name: text.replace("Count", "Amount") for name, text in base.items() if name != "a_test.go"}
    followed, back = {"a_test.go": '\tt.Fatal(Amount(), "Count")\n'}, {name: base[name] for name in now}
    assert renamed(now, base, "undefined: Count", ("a_test.go", 1)) == [followed, back]
    half = {**now, "c.go": "\treturn Count()\n"}
    assert renamed(half, base, "undefined: Count", ("a_test.go", 1)) == [back]


# AF-3
def test_a_compiler_that_stops_before_the_tests_does_not_hide_that_they_say_the_old_name() -> None:
    """As in cJSON, whose tests include the C file and call its static functions."""
    base = {"json.c": "static int hex4(void) {}\n", "use.c": "\tn = hex4();\n", "tests/hex4.c": "\thex4();\n"}
    reported = "implicit declaration of function \u2018hex4\u2019"
    now = {"json.c": base["json.c"].replace("hex4", "hex")}
    followed, back = {"use.c": base["use.c"].replace("hex4", "hex")}, {"json.c": base["json.c"]}
    assert renamed(now, base, reported, ("use.c", 1)) == [followed, back]
    untested = {name: text for name, text in base.items() if name != "tests/hex4.c"}
    assert renamed(now, untested, reported, ("use.c", 1)) == [followed]


# AF-3
def test_one_misspelt_use_is_no_renaming_that_the_definition_follows() -> None:
    """As in go-humanize, whose compiler says of the right name that it is not used."""
    base = {"a.go": '\tsuffix := "th"\n\tsuffix = "st"\n\treturn x + suffix\n'}
    now = {"a.go": base["a.go"].replace("x + suffix", "x + sufix")}
    broken = Broken({**base, **now}, before=base).said("suffix declared but not used", ("a.go", 1))
    broken = broken.said("undefined: sufix", ("a.go", 3))
    assert [c for c in broken.candidates() if c.source.startswith("fixer:renamed_")] == []


# AF-3
def test_the_name_that_a_compiler_says_was_meant_is_no_old_name() -> None:
    """The interface would follow one misspelt use, and the tests would still say the right name."""
    interface = "export interface Item {\n  price: number;\n}\n"
    use = "export function total(items: Item[]): number {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}\n"
    base = {"src/cart.ts": interface + use}
    now = {"src/cart.ts": interface + use.replace("item.price", "item.prise")}
    message = "Property 'prise' does not exist on type 'Item'. Did you mean 'price'?"
    assert renamed(now, base, message, ("src/cart.ts", 5)) == []


# AF-3
def test_a_name_that_a_module_exports_is_renamed_in_its_list_too() -> None:
    """As in networkx, whose package died at its import with half of the renaming."""
    text = "__all__ = ['{0}']\n\n\ndef {0}(x):\n    return x\n"
    base = {"shop/__init__.py": "", "shop/a.py": text.format("pairs"), "shop/use.py": "from shop.a import pairs\n"}
    now = {"shop/a.py": text.format("couples")}
    message = "ImportError: cannot import name 'pairs' from 'shop.a'"
    followed, restored = renamed(now, base, message, ("shop/use.py", 1))
    assert followed == {"shop/use.py": "from shop.a import couples\n"}
    assert restored == {"shop/a.py": text.format("pairs")}


# AF-3
def test_where_a_linter_minds_the_new_name_the_old_one_comes_back_before_others_follow() -> None:
    base = {"src/item.rs": "fn dot(text: &str) {}\n", "src/lib.rs": "    dot(text);\n"}
    now = {"src/item.rs": base["src/item.rs"].replace("dot", "dotOf")}
    broken = Broken({**base, **now}, before=base).said("cannot find function `dot` in this scope", ("src/lib.rs", 1))
    broken.said("function `dotOf` should have a snake case name", ("src/item.rs", 1), category=Category.LINT)
    made = [broken.after(c) for c in broken.candidates() if c.source == "fixer:renamed_word"]
    assert made[0] == {"src/item.rs": base["src/item.rs"]}
    assert {"src/lib.rs": "    dotOf(text);\n"} in made


EITHER = "pub struct Either;\n\nimpl Either {\n    /// Whether.\n    /// ```\n    /// assert!(crate_of::Either.is_left());\n    /// ```\n    pub fn is_left(&self) -> bool { true }\n}\n\npub fn both(e: &Either) -> bool { e.is_left() }\n"
INNER = "\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { assert!(super::Either.is_left()); }\n}\n\npub fn after() {}\n"


# AF-3
@pytest.mark.parametrize("tests", ["", INNER], ids=["documentation", "module"])
def test_tests_inside_a_file_of_the_product_say_the_old_name_and_are_not_rewritten(tests: str) -> None:
    base = {"Cargo.toml": "", "src/lib.rs": EITHER + tests}
    slip = EITHER.replace("pub fn is_left", "pub fn is_lft") + tests
    made = renamed(
        {"src/lib.rs": slip}, base, "no method named `is_left` found for reference `&Either`", ("src/lib.rs", 11)
    )
    assert base["src/lib.rs"] in [one.get("src/lib.rs") for one in made], "the old name comes back"
    for one in made:
        text = one["src/lib.rs"]
        assert "/// assert!(crate_of::Either.is_left());" in text
        assert not tests or "super::Either.is_left()" in text


# AF-3
def test_a_name_that_was_a_word_of_the_file_before_comes_back_on_the_rewritten_lines_alone() -> None:
    lib = "pub fn vacant_entry() -> u8 { 1 }\n\npub fn vacant(n: u8) -> bool { n == vacant_count() }\n\nfn vacant_count() -> u8 { 0 }\n"
    base = {"Cargo.toml": "", "src/lib.rs": lib, "tests/slab.rs": "#[test]\nfn one() { slab::vacant_entry(); }\n"}
    now = {"src/lib.rs": lib.replace("fn vacant_entry", "fn vacant")}
    made = renamed(now, base, "cannot find function `vacant_entry` in crate `slab`", ("tests/slab.rs", 2))
    assert {"src/lib.rs": lib} in made
    assert all("tests/slab.rs" not in one for one in made)


# AF-3, CK-1
@pytest.mark.parametrize(
    "head", ['const path = require("path");', "import path from 'path';", 'const path = env.path || "path";']
)
def test_a_declaration_that_nothing_uses_any_more_is_not_renamed_after_its_misspelt_use(head: str) -> None:
    """The module's name was changed with it (`require("pth")`), which a linter doesn't notice."""
    base = {"a.js": f"{head}\n\nexports.name = (p) => path.basename(p);\n"}
    now = {"a.js": base["a.js"].replace("path.basename", "pth.basename")}
    broken = Broken(now, before=base).said(
        "'path' is assigned a value but never used", ("a.js", 1), category=Category.LINT
    )
    broken.said("'pth' is not defined", ("a.js", 3), category=Category.LINT)
    assert [c for c in broken.candidates() if c.source == "fixer:renamed_word"] == []


# AF-3
def test_a_renamed_word_is_not_followed_into_strings() -> None:
    base = {
        "a.ts": "export const mode = 1;\n",
        "b.ts": 'import { mode } from "./mode";\n\nuse(mode, "mode", \'mode\');\n',
    }
    now = {"a.ts": base["a.ts"].replace("mode", "kind")}
    broken = Broken({**base, **now}, before=base).said("Module has no exported member 'mode'.", ("b.ts", 1))
    made = [broken.after(c) for c in broken.candidates() if c.source == "fixer:renamed_word"]
    assert {"b.ts": 'import { kind } from "./mode";\n\nuse(kind, "mode", \'mode\');\n'} in made
    assert not any("./kind" in text for one in made for text in one.values())


# AF-3
def test_a_name_that_is_there_but_out_of_reach_was_not_renamed() -> None:
    """Another user of it was changed to use something else."""
    money = "function cents(x) {\n  return x;\n}\n\nexport function price(x) {\n  return cents(x);\n}\n"
    use = 'import { cents } from "./money";\n\ncents(1);\n'
    before = {"money.ts": "export " + money, "a.ts": use, "b.ts": use}
    broken = Broken({**before, "money.ts": money, "a.ts": use.replace("cents", "price")}, before=before)
    broken.said("Module declares 'cents' locally, but it is not exported.", ("b.ts", 1), category=Category.TYPE)
    assert [c for c in broken.candidates() if c.source == "fixer:renamed_word"] == []


# AF-3
def test_a_method_is_followed_in_a_class_that_was_renamed_too() -> None:
    money = "class Money:\n    def __init__(self, n):\n        self.n = n\n\n    def plus(self, m):\n        return Money(self.n + m.n)\n"
    use = "def total(a, b):\n    return a.plus(b)\n"
    base = {"money.py": money, "use.py": use}
    now = {"money.py": money.replace("Money", "Amount").replace("plus", "add")}
    first, *_ = renamed(now, base, "AttributeError: 'Amount' object has no attribute 'plus'", ("use.py", 2))
    assert first == {"use.py": use.replace("plus", "add")}


# AF-3
def test_a_class_that_looks_attributes_up_itself_tells_no_more_than_the_name() -> None:
    box = "class Box:\n    def _check(self, v):\n        return v > 0\n\n    def run(self, v):\n        return self._check(v)\n"
    now = {"box.py": box.replace("def _check", "def _validated")}
    first, *_ = renamed(now, {"box.py": box}, "AttributeError: _check", ("box.py", 6))
    assert first == {"box.py": now["box.py"].replace("self._check", "self._validated")}
