"""Imports of modules that are one misspelling of a module that exists."""

import pytest

from tests.repair.fixers.repos import Broken

MISSPELT = "fixer:misspelt_module"
PACKAGE = {
    "shop/__init__.py": "",
    "shop/pricing.py": "RATE = 2\n",
    "shop/stock/__init__.py": "",
    "shop/stock/bins.py": "",
}


# AF-3
@pytest.mark.parametrize(
    ("wrong", "module", "right"),
    [
        ("import syss\n\nprint(sys.argv)\n", "syss", "import sys\n\nprint(sys.argv)\n"),
        ("import os, jsn\n\njson.dumps(os.name)\n", "jsn", "import os, json\n\njson.dumps(os.name)\n"),
        ("def f():\n    import jsn\n    return json\n", "jsn", "def f():\n    import json\n    return json\n"),
        ("from shop.pricng import RATE\n", "shop.pricng", "from shop.pricing import RATE\n"),
        ("from  .pricng import RATE\n", "shop.pricng", "from  .pricing import RATE\n"),
        ("from .stok.bins import x\n", "shop.stok", "from .stock.bins import x\n"),
        ("import shop.stock.bin_s as b\n", "shop.stock.bin_s", "import shop.stock.bins as b\n"),
        ("from shp.pricing import RATE\n", "shp", "from shop.pricing import RATE\n"),
        ("from . stok import bins\n", "shop.stok", "from . stock import bins\n"),
    ],
)
def test_a_misspelt_module_is_spelt_as_the_one_that_is_meant(wrong: str, module: str, right: str) -> None:
    broken = Broken({**PACKAGE, "shop/app.py": wrong})
    broken.said(f"ModuleNotFoundError: No module named '{module}'", ("shop/app.py", 1))
    assert broken.top() == (MISSPELT, {"shop/app.py": right})


# AF-3
def test_a_module_of_elsewhere_is_known_by_what_the_file_imported_before() -> None:
    right = "import numpy as np\n\nnp.array([])\n"
    broken = Broken({"a.py": right.replace("numpy", "nunpy")}, {"a.py": right})
    broken.said("ModuleNotFoundError: No module named 'nunpy'", ("a.py", 1))
    assert broken.top() == (MISSPELT, {"a.py": right})


# AF-3
@pytest.mark.parametrize(
    ("path", "text", "module"),
    [
        ("a.py", "import tomli\n\ntomli.loads('')\n", "tomli"),  # it may be what is not installed
        ("a.py", "import simplejson as json\n\njson.dumps(1)\n", "simplejson"),
        ("test_a.py", "from shop.pricng import RATE\n", "shop.pricng"),  # it may be what the code owes
        ("a.py", "from shop.nothing_like_it import x\n", "shop.nothing_like_it"),
    ],
)
def test_where_it_may_be_right_as_it_is_nothing_is_proposed(path: str, text: str, module: str) -> None:
    broken = Broken({**PACKAGE, path: text}).said(f"ModuleNotFoundError: No module named '{module}'", (path, 1))
    assert all(candidate.source != MISSPELT for candidate in broken.candidates())
