"""What an agent sees of long functions, and of where the attributes that a failure names are assigned."""

from hypothesis import given
from hypothesis import strategies as st

from healing.model import Category, CIError, Related
from healing.repair.agents.code_parts import file_text
from healing.repair.agents.contexts import excerpts
from healing.repair.agents.long_functions import WHOLE, lines_of
from healing.view import DictView
from tests.repair.agents.folder import cluster_of

FILLER = "".join(f"def other_{n}(value):\n    return value + {n}\n\n\n" for n in range(60))
TEST = "from shop import Basket\n\n\ndef test_limit():\n    basket = Basket(7)\n    basket.fill()\n{}"
BASKET = f"""{FILLER}class Basket:
    def __init__(self, limit):
        self.limit = limit

    def fill(self):
        self.opened = True

{"".join(f"    def other_{n}(self):{chr(10)}        return {n}{chr(10)}{chr(10)}" for n in range(40))}
    def widen(self):
        self.limit += 1

    def reset(self):
        first, self.limit = 1, 0
"""
OUTSIDE = (
    f"{FILLER}def shrink(basket):\n    basket.limit = 3\n\n\n{FILLER}\n\ndef named(it):\n    setattr(it, 'limit', 4)\n"
)
UNRELATED = f"{FILLER}class Other:\n    def __init__(self):\n        self.limit = 99\n"
FILES = {
    "shop/__init__.py": "from shop.basket import Basket\n",
    "shop/basket.py": BASKET,
    "shop/outside.py": OUTSIDE,
    "lib/unrelated.py": UNRELATED,
    "tests/test_shop.py": TEST.format("    assert basket.limit == 7\n"),
}


def shown(error: CIError, files: dict[str, str]) -> dict[str, str]:
    view = DictView({path: text.encode() for path, text in files.items()})
    cluster = cluster_of((error,)).model_copy(update={"zone": ()})
    found: dict[str, str] = {}
    for one in excerpts(cluster, [error], view.read, view.paths()):
        found[one.file] = found.get(one.file, "") + one.text + "\n"
    return found


def failed(line: int, message: str, file: str = "tests/test_shop.py", **more: object) -> CIError:
    return CIError.model_validate(
        {"id": "E1", "tool": "pytest", "category": Category.TEST, "file": file, "line": line, "message": message,
         "test": "tests/test_shop.py::test_limit", **more}
    )  # fmt: skip


# AG-12
def test_every_assignment_of_an_attribute_that_the_failed_assertion_names_is_shown() -> None:
    code = shown(failed(7, "assert 0 == 7"), FILES)
    assert "self.limit = limit" in code["shop/basket.py"]
    assert "self.limit += 1" in code["shop/basket.py"]
    assert "first, self.limit = 1, 0" in code["shop/basket.py"]
    assert "basket.limit = 3" in code["shop/outside.py"], "from outside, in another file"
    assert "setattr(it, 'limit', 4)" in code["shop/outside.py"]
    assert "lib/unrelated.py" not in code, "another class's own"
    assert "other_3(" not in code["shop/basket.py"]


# AG-12
def test_an_attribute_that_only_the_message_names_is_looked_for_too() -> None:
    files = {**FILES, "tests/test_shop.py": TEST.format("    check(basket)\n")}
    message = "assert 0 == 7\n +  where 0 = <shop.basket.Basket object at 0x7f>.limit"
    assert "self.limit += 1" in shown(failed(7, message), files)["shop/basket.py"]
    missing = "AttributeError: 'Basket' object has no attribute 'opened'"
    assert "self.opened = True" in shown(failed(7, missing), files)["shop/basket.py"]
    assert "self.limit += 1" not in shown(failed(7, "assert 0 == 7"), files)["shop/basket.py"]


# AG-12
def test_fields_of_a_class_and_assignments_in_other_languages_are_found() -> None:
    fields = {
        "shop.py": f"{FILLER}@dataclass\nclass Basket:\n    limit: int = 3\n{'    # long' + chr(10)}" * 1
        + "\n".join(f"    def m{n}(self):\n        pass\n" for n in range(40)),
        "tests/test_shop.py": TEST.format("    assert basket.limit == 7\n"),
    }
    assert "limit: int = 3" in shown(failed(7, "assert 3 == 7"), fields)["shop.py"]
    lines = "".join(f"function other{n}(value) {{\n  return value + {n};\n}}\n\n" for n in range(60))
    script = {
        "src/basket.js": f"{lines}exports.open = function (basket) {{\n  basket.limit ||= 4;\n}}\n{lines}",
        "test/shop.js": f"{lines}it('opens', () => {{\n  assert.equal(made.limit, 7);\n}});\n",
    }
    line = script["test/shop.js"].partition("assert.equal")[0].count("\n") + 1
    error = failed(line, "4 == 7", "test/shop.js", tool="mocha", test="opens")
    assert "basket.limit ||= 4" in shown(error, script)["src/basket.js"]


# AG-12
def test_of_very_many_assignments_the_later_ones_are_single_lines() -> None:
    many = "".join(f"\n\n\n\n\n\n\n\n# before {n}\nbasket_{n}.limit = {n}\n" for n in range(60))
    code = shown(failed(7, "assert 0 == 7"), {**FILES, "shop/many.py": many})["shop/many.py"]
    assert "# before 2\n" in code
    assert "basket_20.limit = 20" in code
    assert "# before 20\n" not in code
    assert "basket_59" not in code


# AG-12
def test_a_long_function_is_shown_around_the_failing_line_with_its_beginning_and_its_end() -> None:
    body = "".join(f"    step({n})\n" for n in range(2, 400))
    files = {
        "shop.py": f"def price(cents):\n{body}    return cents\n",
        "tests/test_shop.py": "from shop import price\n\n\ndef test_limit():\n    price(3)\n",
    }
    frames = (Related(file="tests/test_shop.py", line=5), Related(file="shop.py", line=300))
    view = DictView({path: text.encode() for path, text in files.items()})
    error = failed(300, "KeyError: 1", "shop.py", related=frames)
    cluster = cluster_of((error,)).model_copy(update={"zone": ()})
    parts = [one for one in excerpts(cluster, [error], view.read, view.paths()) if one.file == "shop.py"]
    text = file_text(parts)
    assert text.startswith("file: shop.py\n1\tdef price(cents):\n")
    assert "\n300\t    step(300)\n" in text
    assert "\n400\t    return cents" in text
    assert text.count("are not shown)") == 2
    assert "(… lines 21 to 254 are not shown)" in text


# AG-12
@given(st.integers(1, 500), st.integers(0, 3_000), st.lists(st.integers(1, 4_000), max_size=4))
def test_of_a_function_its_ends_and_its_named_lines_are_shown_and_nothing_around_it(
    first: int, length: int, named: list[int]
) -> None:
    last = first + length
    spans = lines_of((first, last), named)
    lines = {line for a, b in spans for line in range(a, b + 1)}
    assert {first, last} | {line for line in named if first <= line <= last} <= lines
    assert lines <= set(range(first, last + 1))
    assert len(lines) <= max(WHOLE + 1, 30 + 51 * len(named))
