"""Names that a package no longer passes on, though its users still import them from there."""

import pytest

from healing.model import Category
from tests.pipeline.bench import Bench
from tests.repair.fixers.repos import Broken

CORE = "def total(xs):\n    return sum(xs)\n\n\ndef mean(xs):\n    return total(xs) / len(xs)\n"
APP = {"app.py": "from pkg import total\n\nprint(total([1]))\n"}
TEST = {"tests/test_a.py": "from pkg import total\n\n\ndef test_a():\n    assert total([1]) == 1\n"}
SAID = "ImportError: cannot import name 'total' from 'pkg' (/w/pkg/__init__.py)"
LINE = "from .core import mean, total\n"
MANY = "from .core import (\n    mean,\n    total,\n)\n\n__all__ = [\n    'mean',\n    'total',\n]\n"


def broken(init: str, now: str, **more: str) -> Broken:
    before = {"pkg/__init__.py": init, "pkg/core.py": CORE, **APP, **TEST}
    files = {**before, "pkg/__init__.py": now, **more}
    return Broken(files, before).said(SAID, ("tests/test_a.py", 1), category=Category.IMPORT)


def proposed(case: Broken) -> list[dict[str, str]]:
    return [case.after(one) for one in case.candidates() if one.source == "fixer:lost_reexport"]


# AF-3
@pytest.mark.parametrize(
    ("init", "now"),
    [
        (LINE, "from .core import mean\n"),
        (f"{LINE}\n__all__ = ['mean', 'total']\n", "from .core import mean\n\n__all__ = ['mean']\n"),
        (MANY, MANY.replace("    total,\n", "").replace("    'total',\n", "")),
        ("from pkg.core import total\n\nX = 1\n", "\nX = 1\n"),
        ("import math\nfrom .core import mean as total\n", "import math\n"),
        ("from collections import OrderedDict as total\n\nX = 1\n", "X = 1\n"),
    ],
)
def test_an_import_that_others_rely_on_comes_back_as_it_was(init: str, now: str) -> None:
    assert proposed(broken(init, now)) == [{"pkg/__init__.py": init}]


# AF-3
def test_what_the_change_wrote_in_the_same_place_stays() -> None:
    now = "from .core import mean\nfrom .more import extra\n"
    (after,) = proposed(broken(LINE, now, **{"pkg/more.py": "extra = 1\n"}))
    assert after == {"pkg/__init__.py": "from .core import mean, total\nfrom .more import extra\n"}


# AF-3
def test_an_attribute_that_a_module_lost_is_the_same() -> None:
    files = {"pkg/core.py": CORE, "test_a.py": "import pkg\n\n\ndef test_a():\n    assert pkg.total([1]) == 1\n"}
    case = Broken({**files, "pkg/__init__.py": "X = 1\n"}, {**files, "pkg/__init__.py": f"{LINE}X = 1\n"})
    case.said("AttributeError: module 'pkg' has no attribute 'total'", ("test_a.py", 5))
    assert [list(after) for after in proposed(case)] == [["pkg/__init__.py"]]


# AF-3
def test_all_that_went_together_comes_back_together() -> None:
    case = broken(LINE, "X = 1\n", **{"other.py": "from pkg import mean\n"})
    assert proposed(case) == [{"pkg/__init__.py": f"{LINE}\nX = 1\n"}]


# AF-3
@pytest.mark.parametrize(
    ("now", "more"),
    [
        ("from .core import mean\n", {"pkg/core.py": CORE.replace("def total", "def whole")}),  # it is gone
        ("from .core import mean\n", {"app.py": APP["app.py"].replace("pkg", "pkg.core")}),  # it was meant to go
        ("from .core import mean\n\ntotal: int\n", {}),  # it is there
    ],
)
def test_what_was_meant_to_go_does_not_come_back(now: str, more: dict[str, str]) -> None:
    assert proposed(broken(LINE, now, **more)) == []


# AF-3
def test_without_the_tree_before_nothing_comes_back() -> None:
    case = broken(LINE, "from .core import mean\n")
    case.before = None
    assert proposed(case) == []


# AF-3
async def test_a_package_that_lost_a_name_is_healed(bench: Bench) -> None:
    files = {"pkg/__init__.py": LINE, "pkg/core.py": CORE, **APP, **TEST}
    change = {"pkg/__init__.py": "from .core import mean\n"}
    outcome = await bench.heal(files, change, "python -m pytest -q")
    assert (outcome.verdict, [one.source for one in outcome.proposals]) == ("healed", ["fixer:lost_reexport"])
