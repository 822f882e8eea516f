"""A definition or a module that was moved while others still import it from where it was."""

# ruff: noqa: E501  (files in a line each)

import pytest

from healing.model import Category
from tests.pipeline.bench import Bench
from tests.repair.fixers.repos import Broken

PRICE = "def price(x):\n    return x * 2\n"
OTHER = "def other(x):\n    return x\n"
BASE = {
    "shop/__init__.py": "",
    "shop/a.py": f"{PRICE}\n\n{OTHER}",
    "shop/b.py": "def tax(x):\n    return x\n",
    "shop/use.py": "from shop.a import other, price\n\n\ndef total(x):\n    return other(price(x))\n",
    "test_use.py": "from shop.use import total\n\n\ndef test_total():\n    assert total(2) == 4\n",
}
MOVED = {"shop/a.py": OTHER, "shop/b.py": f"def tax(x):\n    return x\n\n\n{PRICE}"}


# AF-3
async def test_who_imports_what_was_moved_follows_it(bench: Bench) -> None:
    outcome = await bench.heal(BASE, MOVED, "python -m pytest -q", on_pull=True)
    assert outcome.verdict == "healed", [u.why for u in outcome.unfixables]
    (proposal,) = outcome.proposals
    assert proposal.source == "fixer:moved_symbol"
    assert [e.new_string for e in proposal.edits] == ["from shop.a import other\nfrom shop.b import price\n"]


def followed(now: dict[str, str], message: str, file: str = "shop/use.py") -> dict[str, str]:
    """What the fixer makes of the files; nothing where it has no candidate."""
    broken = Broken({**BASE, **now}, before=BASE).said(message, (file, 1), category=Category.IMPORT)
    for path in [path for path, text in now.items() if text == "gone"]:
        del broken.files[path]
    made = [broken.after(c) for c in broken.candidates() if c.source == "fixer:moved_symbol"]
    return made[0] if made else {}


GONE = "ImportError: cannot import name 'price' from 'shop.a' (shop/a.py)"


# AF-3
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from .a import price\n", "from .b import price\n"),
        ("from shop.a import price as p  # why\n", "from shop.b import price as p  # why\n"),
        (
            "def f():\n    from shop.a import other, price\n",
            "def f():\n    from shop.a import other\n    from shop.b import price\n",
        ),
        (
            "from shop.a import other, price\nfrom shop.b import tax\n",
            "from shop.a import other\nfrom shop.b import price, tax\n",
        ),
    ],
)
def test_each_way_to_import_it_follows(old: str, new: str) -> None:
    assert followed({**MOVED, "shop/use.py": old}, GONE) == {"shop/use.py": new}


# AF-3
def test_a_module_that_was_moved_is_followed_by_all_its_users() -> None:
    now = {"shop/a.py": "gone", "shop/money/__init__.py": "", "shop/money/sums.py": BASE["shop/a.py"]}
    made = followed(now, "ModuleNotFoundError: No module named 'shop.a'")
    assert made == {"shop/use.py": BASE["shop/use.py"].replace("shop.a", "shop.money.sums")}


LISTED = "from {0} import (\n    other,  # why\n    price,\n)\n"


# AF-3
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("shop/use.py", LISTED.format(".a"), LISTED.format(".sums")),
        ("shop/use.py", LISTED.format("shop.a").replace("\n", "\r\n"), LISTED.format("shop.sums").replace("\n", "\r\n")),
        ("shop/use.py", "from .a  import price\nfrom shop.a import other\n", "from .sums  import price\nfrom shop.sums import other\n"),
        ("use.py", "if 1:\n    from shop.a import (other)\n", "if 1:\n    from shop.sums import (other)\n"),
    ],
)  # fmt: skip
def test_of_an_import_of_a_moved_module_only_the_modules_name_changes(file: str, old: str, new: str) -> None:
    now = {"shop/a.py": "gone", "shop/sums.py": BASE["shop/a.py"], "shop/use.py": "", file: old}
    assert followed(now, "ModuleNotFoundError: No module named 'shop.a'", file) == {file: new}


# AF-3
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from .a import price\nfrom .b import tax\n", "from .b import tax\nfrom .sums import price\n"),
        ("from .a import (\n    price,\n)\nfrom .b import tax\nfrom .z import y\n", "from .b import tax\nfrom .sums import (\n    price,\n)\nfrom .z import y\n"),
        ("import re\n\nfrom .a import price\nfrom .a import other\nfrom .b import tax\n\nx = 1\n", "import re\n\nfrom .b import tax\nfrom .sums import price\nfrom .sums import other\n\nx = 1\n"),
        # They were in no order, or what is between them may mean one of them.
        ("from .z import y\nfrom .a import price\nfrom .b import tax\n", "from .z import y\nfrom .sums import price\nfrom .b import tax\n"),
        ("from .a import price\n# why\nfrom .b import tax\n", "from .sums import price\n# why\nfrom .b import tax\n"),
        ("from .a import price\nfrom .b import tax", "from .sums import price\nfrom .b import tax"),
    ],
)  # fmt: skip
def test_imports_that_were_in_order_are_in_order_again(old: str, new: str) -> None:
    now = {"shop/a.py": "gone", "shop/sums.py": BASE["shop/a.py"], "shop/use.py": old}
    assert followed(now, "ModuleNotFoundError: No module named 'shop.a'") == {"shop/use.py": new}


# AF-3
@pytest.mark.parametrize(
    ("settings", "old", "new"),
    [
        # The line with the module's new name would be longer than the repository's lines.
        ("[tool.ruff]\nline-length = 30\n", "from .a import other, price\n", "from .sums_of_all import (\n    other,\n    price,\n)\n"),
        ("[flake8]\nmax-line-length = 40\n", "from .a import other, price\n", "from .sums_of_all import other, price\n"),
        ("", "from .a import other, price\n", "from .sums_of_all import other, price\n"),
    ],
)  # fmt: skip
def test_an_import_that_becomes_too_long_is_split_up_as_black_does(settings: str, old: str, new: str) -> None:
    now = {"shop/a.py": "gone", "shop/sums_of_all.py": BASE["shop/a.py"], "setup.cfg": settings, "shop/use.py": old}
    assert followed(now, "ModuleNotFoundError: No module named 'shop.a'") == {"shop/use.py": new}


# AF-3
def test_what_is_said_of_the_names_that_stay_is_kept() -> None:
    old = "def f():\n    from shop.a import (\n        other,  # why\n        price,\n    )\n"
    new = "def f():\n    from shop.a import (\n        other,  # why\n    )\n    from shop.b import price\n"
    assert followed({**MOVED, "shop/use.py": old}, GONE) == {"shop/use.py": new}
    assert followed({**MOVED, "shop/use.py": old.rstrip()}, GONE) == {"shop/use.py": new.rstrip()}


# AF-3
@pytest.mark.parametrize(
    "now",
    [
        {**MOVED, "shop/c.py": PRICE},  # two places have it now
        {"shop/a.py": OTHER},  # none has
        {**MOVED, "shop/use.py": "import os; from shop.a import price; x = 1\n"},
        {**MOVED, "shop/use.py": "from shop.a import (\n"},
    ],
)
def test_where_nobody_can_know_where_it_went_nothing_is_proposed(now: dict[str, str]) -> None:
    assert followed(now, GONE) == {}


# AF-3
def test_a_name_that_never_was_where_it_is_looked_for_was_not_moved() -> None:
    assert followed({}, "ImportError: cannot import name 'tax' from 'shop.a' (shop/a.py)") == {}


# AF-3
async def test_tests_follow_a_moved_module_that_their_conftest_could_not_load(bench: Bench) -> None:
    base = {
        "shop/__init__.py": "",
        "shop/a.py": PRICE,
        "shop/cart.py": "from .a import price\n\n\ndef total(x):\n    return price(x)\n",
        "tests/conftest.py": "import shop.cart\n",
        "tests/test_a.py": "from shop.a import price\n\n\ndef test_price():\n    assert price(2) == 4\n",
    }
    (bare,) = bench.trees(base)
    moved = {path: text for path, text in base.items() if path != "shop/a.py"} | {"shop/b.py": PRICE}
    (head,) = bench.trees(moved)
    outcome = await bench.heal_trees(bare, head, ("shop/a.py", "shop/b.py"), "python -m pytest -q tests", on_pull=True)
    assert outcome.verdict == "healed", [u.why for u in outcome.unfixables]
    written = {edit.file: edit.new_string for p in outcome.proposals for edit in p.edits}
    assert written == {"shop/cart.py": "from .b import price\n", "tests/test_a.py": "from shop.b import price\n"}


# AF-3
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from shop import a\n\nx = a.price\n", "from shop import _a as a\n\nx = a.price\n"),
        ("from shop import a as first, b\n", "from shop import _a as first, b\n"),
        ("from shop import (\n    a,\n)\n", None),
        ("from shop import b\n", None),
    ],
)
@pytest.mark.parametrize("message", ["ImportError: cannot import name 'a' from 'shop'", "No module named 'shop.a'"])
def test_an_import_of_a_moved_module_from_its_package_follows(old: str, new: str | None, message: str) -> None:
    now = {"shop/a.py": "gone", "shop/_a.py": BASE["shop/a.py"], "shop/use.py": old}
    found = followed(now, message)
    assert found.get("shop/use.py") == new
