"""What an agent sees of the code that a failing test is about: what a person would open, whole."""

from healing.agents.contexts import excerpts
from healing.model import Category, CIError
from healing.view import DictView
from tests.agents.folder import cluster_of

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
