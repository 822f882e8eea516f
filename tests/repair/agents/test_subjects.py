"""What an agent sees of the code that a failing test is about: what a person would open, whole."""

from healing.model import Category, CIError
from healing.repair.agents.contexts import excerpts
from healing.view import DictView
from tests.repair.agents.folder import cluster_of

LONG = "".join(f"def other_{n}(value):\n    return value + {n}\n\n\n" for n in range(60))
BODY = "".join(f"    cents += {n} * rate\n" for n in range(70))
PRICE = f"def price(cents, rate):\n{BODY}    return rounded(cents)\n\n\n"
METHODS = "".join(f"    def other_{n}(self):\n        return {n}\n\n" for n in range(40))
FILES = {
    "shop/__init__.py": "from shop._all import *\nfrom .baskets import Basket\n",
    "shop/_all.py": "try:\n    from .core import price\nexcept ImportError:\n    raise\n",
    "shop/core.py": f"from shop import rounding\nfrom shop.rounding import rounded\n\n\n{LONG}{PRICE}{LONG}",
    "shop/rounding.py": f"{LONG}def rounded(cents):\n    return int(cents / 10)\n\n\n{LONG}",
    "shop/baskets.py": (
        f"class Basket:\n    def __init__(self, limit):\n        self.limit = limit\n\n{METHODS}"
        "    def add(self, cents):\n        return self._checked(cents)\n\n"
        "    def _checked(self, cents):\n        return min(cents, self.limits)\n"
    ),
    "tests/conftest.py": f"import pytest\n\nimport shop\n\n\n{LONG}@pytest.fixture\ndef basket():\n"
    "    return shop.Basket(limit=7)\n",
    "tests/test_shop.py": (
        "import shop\nfrom shop import price\n\n\ndef test_price():\n    assert price(3, 4) == 12\n\n\n"
        "def test_basket(basket):\n    assert basket.add(9) == 7\n"
    ),
}


def shown(error: CIError, files: dict[str, str] = FILES) -> dict[str, str]:
    view = DictView({path: text.encode() for path, text in files.items()})
    cluster = cluster_of((error,)).model_copy(update={"zone": ("tests/test_shop.py",)})
    found: dict[str, str] = {}
    for one in excerpts(cluster, [error], view.read, view.paths()):
        found[one.file] = found.get(one.file, "") + one.text + "\n"
    return found


def failed(test: str, line: int, message: str = "assert 1 == 2") -> CIError:
    return CIError(
        id="E1", tool="pytest", category=Category.TEST, file="tests/test_shop.py", line=line, message=message,
        test=f"tests/test_shop.py::{test}",
    )  # fmt: skip


# AG-12
def test_the_function_that_a_failed_assertion_is_about_is_shown_whole_through_re_exports() -> None:
    code = shown(failed("test_price", 6))
    assert PRICE.strip() in code["shop/core.py"]
    assert "other_3" not in code["shop/core.py"]
    assert "def rounded" in code["shop/rounding.py"], "what the function itself calls"


# AG-12
def test_the_fixture_of_a_test_and_the_methods_and_attributes_of_its_class_are_shown() -> None:
    code = shown(failed("test_basket[3-x]", 10))
    assert "@pytest.fixture\ndef basket():" in code["tests/conftest.py"]
    assert "self.limit = limit" in code["shop/baskets.py"], "where the attribute is assigned"
    assert "def add" in code["shop/baskets.py"]
    assert "min(cents, self.limits)" in code["shop/baskets.py"]
    assert "def other_3" not in code["shop/baskets.py"]
    long = shown(failed("test_basket", 10, "AttributeError: 'Basket' object has no attribute 'limits'"))
    assert "self.limit = limit" in long["shop/baskets.py"]


# AG-12
def test_of_code_that_cant_be_parsed_or_imports_itself_as_much_is_shown_as_before() -> None:
    ring = {"a.py": "from b import *\nfrom b import x\n", "b.py": "from a import *\nfrom a import x\n"}
    test = {"tests/test_shop.py": "from a import x\n\n\ndef test_x():\n    assert x()\n"}
    assert set(shown(failed("test_x", 5), {**ring, **test})) == {"tests/test_shop.py"}
    assert shown(failed("test_x", 2), {"tests/test_shop.py": "def test_x(:\n    assert 1\n"})


FILLER = {
    "ts": "".join(f"export function other{n}(value: number) {{\n  return value + {n};\n}}\n\n" for n in range(40)),
    "js": "".join(f"function other{n}(value) {{\n  return value + {n};\n}}\n\n" for n in range(40)),
    "go": "".join(f"func other{n}(value int) int {{\n\treturn value + {n}\n}}\n\n" for n in range(40)),
    "rs": "".join(f"fn other{n}(value: u32) -> u32 {{\n    value + {n}\n}}\n\n" for n in range(40)),
}
SCRIPTS = {
    "src/index.ts": "export * from './prices';\nexport { Basket } from './basket';\n",
    "src/prices.ts": f"import {{ rounded }} from './rounding';\n\n{FILLER['ts']}"
    "export const price = (cents: number, rate: number): number => {\n  return rounded(cents * rate);\n};\n\n",
    "src/rounding.ts": f"{FILLER['ts']}export function rounded(cents: number) {{\n  return cents | 0;\n}}\n"
    f"{FILLER['ts']}",
    "src/basket.ts": f"{FILLER['ts']}export class Basket {{\n  constructor(private limit: number) {{}}\n"
    + "".join(f"  unused{n}() {{\n    return {n};\n  }}\n" for n in range(40))
    + "  add(cents: number) {\n    return Math.min(cents, this.limit);\n  }\n}\n",
    "test/shop.test.ts": f"import {{ price, Basket }} from '../src';\n\n{FILLER['ts']}"
    "describe('shop', () => {\n  let basket;\n\n  beforeEach(() => {\n    basket = new Basket(7);\n  });\n\n"
    "  it('prices', () => {\n    expect(price(3, 4)).toBe(12);\n  });\n\n"
    "  it('fills', () => {\n    expect(basket.add(9)).toBe(7);\n  });\n});\n",
}


def seen(error: CIError, files: dict[str, str]) -> dict[str, str]:
    view = DictView({path: text.encode() for path, text in files.items()})
    found: dict[str, str] = {}
    for one in excerpts(cluster_of((error,)).model_copy(update={"zone": ()}), [error], view.read, view.paths()):
        found[one.file] = found.get(one.file, "") + one.text + "\n"
    return found


def at(file: str, text: str, files: dict[str, str], tool: str) -> CIError:
    line = files[file].partition(text)[0].count("\n") + 1
    return CIError(id="E1", tool=tool, category=Category.TEST, file=file, line=line, message="1 is not 2", test="t")


# AG-12
def test_the_functions_that_a_typescript_test_calls_are_shown_through_re_exports() -> None:
    code = seen(at("test/shop.test.ts", "expect(price", SCRIPTS, "jest"), SCRIPTS)
    assert "export const price = " in code["src/prices.ts"]
    assert "export function rounded" in code["src/rounding.ts"], "what the function itself calls"
    assert "other" not in code["src/prices.ts"] + code["src/rounding.ts"]


# AG-12
def test_the_hooks_of_a_javascript_test_and_the_methods_of_its_class_are_shown() -> None:
    code = seen(at("test/shop.test.ts", "expect(basket.add", SCRIPTS, "jest"), SCRIPTS)
    assert "constructor(private limit" in code["src/basket.ts"]
    assert "add(cents: number)" in code["src/basket.ts"]
    assert "unused3" not in code["src/basket.ts"]
    assert "basket = new Basket(7)" in code["test/shop.test.ts"]


# AG-12
def test_what_a_javascript_module_exports_by_default_is_shown_under_any_name() -> None:
    files = {
        "lib/slug.js": f"{FILLER['js']}module.exports = function (text) {{\n  return text.trim();\n}};\n",
        "test/slug.js": f"const made = require('../lib/slug');\n\n{FILLER['js']}it('trims', () => {{\n"
        "  assert.equal(made(' a '), 'a');\n});\n",
    }
    code = seen(at("test/slug.js", "assert.equal", files, "mocha"), files)
    assert "module.exports = function (text)" in code["lib/slug.js"]
    assert "other3" not in code["lib/slug.js"]


# AG-12
def test_the_functions_and_methods_that_a_go_test_calls_are_shown_from_its_package_and_imported_ones() -> None:
    files = {
        "go.mod": "module example.com/shop\n",
        "cart.go": f'package shop\n\nimport "example.com/shop/money"\n\n{FILLER["go"]}'
        "type Cart struct {\n\tlimit int\n}\n\n"
        "func (c *Cart) Add(cents int) int {\n\treturn money.Rounded(cents)\n}\n",
        "money/money.go": f"package money\n\n{FILLER['go']}func Rounded(cents int) int {{\n\treturn cents / 10\n}}\n",
        "cart_test.go": f'package shop\n\nimport "testing"\n\n{FILLER["go"]}func TestAdd(t *testing.T) {{\n'
        '\tcart := Cart{limit: 7}\n\tif cart.Add(9) != 7 {\n\t\tt.Errorf("wrong")\n\t}\n}\n',
    }
    code = seen(at("cart_test.go", "t.Errorf", files, "go test"), files)
    assert "func (c *Cart) Add" in code["cart.go"]
    assert "type Cart struct" in code["cart.go"]
    assert "func Rounded" in code["money/money.go"]
    assert "other3(" not in code["cart.go"] + code["money/money.go"]


# AG-12
def test_the_functions_that_a_rust_test_calls_are_shown_also_those_named_inside_of_a_macro() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "mod prices;\npub use prices::price;\n",
        "src/prices.rs": f"use crate::rounding::Rounding;\n\n{FILLER['rs']}pub fn price(cents: u32) -> u32 {{\n"
        "    Rounding::new(cents).done()\n}\n",
        "src/rounding.rs": f"{FILLER['rs']}pub struct Rounding(u32);\n\nimpl Rounding {{\n"
        "    pub fn new(cents: u32) -> Self {\n        Rounding(cents)\n    }\n\n"
        "    pub fn done(self) -> u32 {\n        self.0 / 10\n    }\n}\n",
        "tests/shop.rs": f"use shop::price;\n\n{FILLER['rs']}#[test]\nfn prices() {{\n"
        "    assert_eq!(price(30), 3);\n}\n",
    }
    code = seen(at("tests/shop.rs", "assert_eq!", files, "cargo test"), files)
    assert "pub fn price" in code["src/prices.rs"]
    assert "pub fn new" in code["src/rounding.rs"]
    assert "self.0 / 10" in code["src/rounding.rs"]
    assert "other3(" not in code["src/prices.rs"] + code["src/rounding.rs"]


# AG-12
def test_broken_endless_and_hostile_scripts_give_what_they_can() -> None:
    deep = "(" * 20_000
    files = {
        "a.js": f"import './b'\nimport './a'\nit('x', () => {{ b({deep}\n",
        "b.js": "export * from './a'\nexport function b( {\n",
        "c.rs": "fn t() { b(); ",
        "d.go": "\x00package",
    }
    for file in files:
        error = CIError(id="E1", tool="t", category=Category.TEST, file=file, line=1, message="`b` 'x' \"\"", test="t")
        seen(error, files)
