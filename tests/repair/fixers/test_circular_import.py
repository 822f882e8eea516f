"""An import that closes a circle moves to where it is used."""

# ruff: noqa: E501  (files in a line each)

import pytest

from tests.repair.fixers.repos import Broken

A = "from shop.b import b\n\n\ndef a():\n    return b()\n"
WAS = "def b():\n    return 1\n"
MESSAGE = "ImportError: cannot import name 'a' from partially initialized module 'shop.a' (most likely due to a circular import)"


def moved(now: str, was: str = WAS, message: str = MESSAGE) -> list[dict[str, str]]:
    files = {"shop/a.py": A, "shop/b.py": now}
    broken = Broken(files, {"shop/a.py": A, "shop/b.py": was}).said(message, ("shop/a.py", 1), ("shop/b.py", 1))
    return [broken.after(one) for one in broken.candidates() if one.source == "fixer:circular_import"]


# AF-3
@pytest.mark.parametrize(
    ("now", "new"),
    [
        (
            "from shop.a import a\n\n\ndef b():\n    return 1\n\n\ndef c():\n    return a()\n",
            "def b():\n    return 1\n\n\ndef c():\n    from shop.a import a\n\n    return a()\n",
        ),
        (
            '"""B."""\n\nimport os\nfrom shop.a import a as other, z\n\n\nclass B:\n    def c(self):\n        """Doc."""\n        return other(os), z\n',
            '"""B."""\n\nimport os\n\n\nclass B:\n    def c(self):\n        """Doc."""\n\n        from shop.a import a as other, z\n\n        return other(os), z\n',
        ),
        (
            "import shop.a\n\n\ndef c():\n    def d():\n        return shop.a.a()\n\n    return d\n",
            "def c():\n    import shop.a\n\n    def d():\n        return shop.a.a()\n\n    return d\n",
        ),
    ],
)  # fmt: skip
def test_it_stands_in_the_outermost_functions_that_use_it(now: str, new: str) -> None:
    assert moved(now) == [{"shop/b.py": new}]


# AF-3
@pytest.mark.parametrize(
    ("now", "was", "message"),
    [
        ("from shop.a import a\n\nX = a()\n", WAS, MESSAGE),  # needed at once
        ("from shop.a import a\n\n\n@a\ndef c(): return a()\n", WAS, MESSAGE),
        ("from shop.a import a\n\n\ndef c(x: a):\n    return a()\n", WAS, MESSAGE),
        ("from shop.a import a\n\n__all__ = ['a']\n\n\ndef c():\n    return a()\n", WAS, MESSAGE),
        ("from shop.a import a\n\n\ndef c(): return a()\n", WAS, MESSAGE),  # no place of its own
        ("from shop.a import *\n\n\ndef c():\n    return a()\n", WAS, MESSAGE),
        ("from shop.a import a\n\n\ndef c():\n    return a()\n", "from shop.a import a\n", MESSAGE),  # it was there before
        ("from shop.a import a\n\n\ndef c():\n    return a()\n", WAS, "ImportError: cannot import name 'a' from 'shop.a'"),
    ],
)  # fmt: skip
def test_it_stays_where_it_is_needed_at_once_or_is_no_circle_of_the_change(now: str, was: str, message: str) -> None:
    assert moved(now, was, message) == []


# AF-3
@pytest.mark.parametrize(
    ("now", "new"),
    [
        (
            "import os\nfrom typing import Any, cast\n\nfrom shop.a import a\n\n\ndef b(x: a | None) -> Any:\n    return cast(Any, os)\n",
            'import os\nfrom typing import TYPE_CHECKING, Any, cast\n\n\nif TYPE_CHECKING:\n    from shop.a import a\n\n\ndef b(x: "a | None") -> Any:\n    return cast(Any, os)\n',
        ),
        (
            "from __future__ import annotations\n\nfrom shop.a import a\n\n\ndef b(x: a) -> list[a]:\n    return [x]\n",
            "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n\n\nif TYPE_CHECKING:\n    from shop.a import a\n\n\ndef b(x: a) -> list[a]:\n    return [x]\n",
        ),
        (
            "from typing import cast, List\n\nfrom shop.a import a\n\nx: a = 1\n",
            'from typing import cast, List, TYPE_CHECKING\n\n\nif TYPE_CHECKING:\n    from shop.a import a\n\nx: "a" = 1\n',
        ),
        (
            "from shop.a import a\n\nx: a = 1\n",
            'from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from shop.a import a\n\nx: "a" = 1\n',
        ),
    ],
)  # fmt: skip
def test_what_only_annotations_need_is_imported_for_type_checkers(now: str, new: str) -> None:
    assert moved(now)[0] == {"shop/b.py": new}


@pytest.mark.parametrize("use", ['x: "a | None" = 1', "def c(x: a = a): ...", "class D(a):\n    x: a"])
def test_what_runs_or_is_quoted_already_is_no_import_for_type_checkers(use: str) -> None:
    assert not any(
        "TYPE_CHECKING" in text for change in moved(f"from shop.a import a\n\n{use}\n") for text in change.values()
    )
