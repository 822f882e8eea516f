"""Lines and files that a change took away although the code still needs them."""

# ruff: noqa: E501  (files in a line each)

import pytest

from healing.model import Category
from tests.repair.fixers.repos import Broken

UTIL = "import re\n\n\ndef clean(text):\n    return re.sub(' +', ' ', text)\n\n\n@cached\ndef words(text):\n    return clean(text).split()\n"
CART = (
    "class Cart:\n    LIMIT = 3\n\n    def add(self, item):\n        self.items.append(item)\n        return self\n\n"
    "    def size(self):\n        return len(self.items)\n\n    def full(self):\n        return self.size() >= self.LIMIT\n"
)
ORDER = "from dataclasses import dataclass\n\n\n@dataclass\nclass Order:\n    name: str\n"
GO = "package shop\n\nfunc (c *Cart) Size() int {\n\treturn len(c.items)\n}\n\nfunc (c *Cart) Full() bool {\n\treturn c.Size() > 3\n}\n"
JS = "const LIMIT = 3;\n\nfunction full(n) {\n  return n >= LIMIT;\n}\n\nmodule.exports = { full };\n"
RS = "#[derive(Clone)]\nstruct Cart {\n    items: u32,\n}\n\nfn twice(cart: &Cart) -> Cart {\n    cart.clone()\n}\n"


def lost(broken: Broken) -> list[tuple[dict[str, str], tuple[str, ...]]]:
    """(changed files, marks) of what is proposed for lost lines."""
    return [(broken.after(one), one.flags) for one in broken.candidates() if one.source == "fixer:lost_lines"]


def red(file: str, was: str, lost_text: str, message: str, **others: str) -> Broken:
    """A change that took one text out of a file."""
    assert was.count(lost_text) == 1
    rest = {path.replace("__", "/").replace("_dot_", "."): text for path, text in others.items()}
    return Broken({file: was.replace(lost_text, ""), **rest}, {file: was, **rest}).said(message, (file, 3))


# AF-3
@pytest.mark.parametrize(
    ("file", "was", "gone", "message", "title"),
    [
        ("util.py", UTIL, UTIL[: UTIL.index("@cached")], "NameError: name 'clean' is not defined", "Put back `clean`"),
        ("util.py", UTIL, "@cached\n", "AttributeError: 'words' has no cache_info", "Put back `@cached`"),
        ("cart.py", CART, "    LIMIT = 3\n\n", "AttributeError: 'Cart' object has no attribute 'LIMIT'", "Put back `LIMIT`"),
        ("cart.py", CART, "        return self\n", "'NoneType' has no attribute 'full': Cart().add(1).full()", "Put back `return self`"),
        ("cart.py", CART, "    def size(self):\n        return len(self.items)\n\n", "no attribute 'size'", "Put back `size`"),
        ("order.py", ORDER, "@dataclass\n", "TypeError: Order() takes no arguments", "Put back `@dataclass`"),
        ("cart.go", GO, GO[GO.index("func") : GO.index("func (c *Cart) Full")], "c.Size undefined (type *Cart has no field or method Size)", "Put back `Size`"),
        ("cart.js", JS, "const LIMIT = 3;\n\n", "ReferenceError: LIMIT is not defined", "Put back `LIMIT`"),
        ("cart.rs", RS, "#[derive(Clone)]\n", "no method named `clone` found for reference `&Cart`", "Put back `#[derive(Clone)]`"),
    ],
)  # fmt: skip
def test_what_is_still_needed_comes_back_with_a_mark(file: str, was: str, gone: str, message: str, title: str) -> None:
    broken = red(file, was, gone, message)
    found = lost(broken)
    assert [changes for changes, _ in found] == [{file: was}]
    assert all(flags[0].startswith(f"puts back what this change removed at {file}:") for _, flags in found)
    assert title in [one.title for one in broken.candidates()]


# AF-3
def test_a_definition_comes_back_with_the_import_that_went_with_it_elsewhere_in_the_file() -> None:
    now = UTIL.replace("import re\n\n\n", "").replace("def clean(text):\n    return re.sub(' +', ' ', text)\n\n\n", "")
    between = "LIMIT = 3\n\n\n"
    was = UTIL.replace("def clean", f"{between}def clean")
    broken = Broken({"util.py": between + now}, {"util.py": was}).said(
        "NameError: name 'clean' is not defined", ("util.py", 5)
    )
    assert {"util.py": was} in [changes for changes, _ in lost(broken)]


# AF-3
def test_a_method_of_javascript_that_lost_its_return_gets_it_back() -> None:
    was = "class Cart {\n  add(item) {\n    this.items.push(item);\n    return this;\n  }\n}\n"
    message = "TypeError: Cannot read properties of undefined (reading 'add')"
    ((changes, flags),) = lost(red("cart.js", was, "    return this;\n", message))
    assert changes == {"cart.js": was}
    assert flags


# AF-3
def test_a_prototype_in_c_comes_back() -> None:
    was, message = "int f(void);\nint twice(int n);\n", "implicit declaration of function ‘twice’"
    ((changes, _),) = lost(
        red("a.h", was, "int twice(int n);\n", message, b_dot_c="int f(void) { return twice(1); }\n")
    )
    assert changes == {"a.h": was}


# AF-3
def test_a_file_that_others_still_import_comes_back() -> None:
    before = {"shop/rates.py": "RATE = 2\n", "shop/cart.py": "from shop.rates import RATE\n"}
    broken = Broken({"shop/cart.py": before["shop/cart.py"]}, before)
    found = lost(broken.said("ModuleNotFoundError: No module named 'shop.rates'", ("shop/cart.py", 1)))
    assert [changes for changes, _ in found] == [{"shop/rates.py": "RATE = 2\n"}]


# AF-3
@pytest.mark.parametrize(
    "broken",
    [
        red("util.py", UTIL, "@cached\n", "TypeError: 'other' is wrong"),  # the error is about something else
        red("README.md", "# Shop\n\n    words\n", "    words\n", "words is missing"),
        red("tests/test_a.py", "import re\n\nA = re.I\n", "import re\n", "name 're' is not defined"),
        # Only a test still uses it, or the change touched another use: the removal may be meant.
        red("cart.js", JS + "function size() {}\n", "function size() {}\n", "size is not defined", tests__cart_dot_js="size()\n"),
        Broken({"a.py": "", "b.py": "x\n"}, {"a.py": "def size(): pass\n", "b.py": "size\n"}).said("size is gone", ("a.py", 1)),
        # Moved, and written in another place.
        Broken({"b.py": "R = 1\n", "c.py": "import rates\n"}, {"rates.py": "R = 1\n", "c.py": "import rates\n"}).said("No module named 'rates'", ("c.py", 1)),
        Broken({"a.py": "Y = 2\n"}, {"a.py": "size = 1\n"}).said("size is gone", ("a.py", 1)),
        Broken({"a.py": ""}, {"a.py": "size = 1\n"}).said("size: would be reformatted", ("a.py", 1), category=Category.FORMAT),
    ],
)  # fmt: skip
def test_what_may_be_meant_to_be_gone_stays_gone(broken: Broken) -> None:
    assert lost(broken) == []
