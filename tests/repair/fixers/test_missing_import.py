"""Names that are used without an import."""

# ruff: noqa: E501  (files in a line each)

import pytest

from healing.model import Category
from tests.repair.fixers.repos import Broken

FIXER = "fixer:missing_import"


# AF-3
def test_an_import_that_was_commented_out_is_restored_where_it_stood() -> None:
    text = '"""Doc."""\n\n# import re\nimport os\n\nP = re.compile(os.sep)\n'
    broken = Broken({"a.py": text}).said("NameError: name 're' is not defined", ("a.py", 6))
    assert broken.top() == (FIXER, {"a.py": text.replace("# import", "import")})


# AF-3
def test_an_import_that_the_pull_request_removed_is_put_back_into_its_line() -> None:
    before = "from typing import Any, Sized\n\n\ndef f(a: Any, s: Sized): ...\n"
    now = before.replace("Any, Sized\n", "Any\n")
    broken = Broken({"a.py": now}, {"a.py": before}).said("NameError: name 'Sized' is not defined", ("a.py", 4))
    assert broken.top() == (FIXER, {"a.py": before})


OPENED = '"""Doc."""\n\n__all__ = ("f",)\n__version__ = "1"\n\nimport functools\nimport heapq\n\nfrom .b import (\n    one as _,\n)\nfrom .b import (\n    point,\n    thousands,\n)\n\nx = heapq, point, thousands, _, functools\n'


# AF-3
@pytest.mark.parametrize(
    ("lost", "name"),
    [
        ("import heapq\n", "heapq"),
        ("import heapq\n\n", "heapq"),
        ("    point,\n", "point"),
        ("from .b import (\n    point,\n    thousands,\n)\n", "point"),
        ("from .b import (\n    one as _,\n)\n", "_"),
    ],
)
def test_an_import_that_the_change_removed_stands_where_it_stood(lost: str, name: str) -> None:
    """Tools that sort imports then have nothing to say."""
    broken = Broken({"p/a.py": OPENED.replace(lost, "")}, {"p/a.py": OPENED})
    broken.said(f"NameError: name '{name}' is not defined", ("p/a.py", 12))
    assert broken.top() == (FIXER, {"p/a.py": OPENED})


# AF-3
def test_what_the_change_rightly_removed_with_it_stays_away() -> None:
    was = "from .b import one, two\n\nx = one, two\n"
    broken = Broken({"p/a.py": "x = one\n"}, {"p/a.py": was})
    broken.said("NameError: name 'one' is not defined", ("p/a.py", 1))
    assert broken.top() == (FIXER, {"p/a.py": "from .b import one\n\nx = one\n"})


# AF-3
@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        # Each name has an import of its own.
        ("from b import one\nfrom b import two\n", "from b import one\nfrom b import two\nfrom b import three\n"),
        # What is renamed has an import of its own.
        ("from b import one as _\n", "from b import one as _\nfrom b import three\n"),
        ("from b import one as _\nfrom b import two, zero\n", "from b import one as _\nfrom b import three, two, zero\n"),
        ("from b import one as _\nfrom b import two\n", "from b import one as _\nfrom b import three, two\n"),
        ("from b import one as _, two\n", "from b import one as _, three, two\n"),
        ('__all__ = ()\n\nimport re\n', '__all__ = ()\n\nimport re\n\nfrom b import three\n'),
        ('N: int = 1\n\nimport re\n', 'from b import three\n\nN: int = 1\n\nimport re\n'),
    ],
)  # fmt: skip
def test_an_import_that_never_was_there_is_written_as_the_files_others(imports: str, expected: str) -> None:
    files = {"b.py": "three = 1\n", "a.py": f"{imports}\nx = three\n"}
    broken = Broken(files).said("NameError: name 'three' is not defined", ("a.py", 4))
    assert broken.top() == (FIXER, {"a.py": f"{expected}\nx = three\n"})


# AF-3
def test_a_package_that_was_given_its_submodule_by_the_way_gets_it_back() -> None:
    before = "from .exceptions import merge\n\nnames = vars(exceptions)\n"
    files = {"pkg/__init__.py": "names = vars(exceptions)\n", "pkg/exceptions.py": "merge = 1\n"}
    broken = Broken(files, {**files, "pkg/__init__.py": before})
    broken.said("NameError: name 'exceptions' is not defined", ("pkg/__init__.py", 1))
    source, after = broken.top()
    assert source == FIXER
    assert after["pkg/__init__.py"].startswith("from .exceptions import merge\n")


# AF-3
def test_what_other_files_import_is_imported_in_the_same_way() -> None:
    files = {
        "app/a.py": "from app.models import User\n",
        "app/b.py": "import json\n\nfrom app.models import User\n",
        "app/models/__init__.py": "from app.models.user import User\n",
        "app/models/user.py": "class User: ...\n",
        "app/c.py": "import json\n\n\ndef f(text):\n    return User(json.loads(text))\n",
    }
    broken = Broken(files).said("Undefined name `User`", ("app/c.py", 5), category=Category.LINT)
    expected = "import json\n\nfrom app.models import User\n\n\ndef f(text):\n    return User(json.loads(text))\n"
    assert broken.top() == (FIXER, {"app/c.py": expected})


# AF-3
def test_the_repos_own_definition_is_imported_relatively_where_the_file_does_so() -> None:
    files = {
        "src/pkg/__init__.py": "",
        "src/pkg/money.py": "class Money: ...\n",
        "src/pkg/sub/__init__.py": "",
        "src/pkg/sub/cart.py": "from ..names import NAME\n\nx = Money(NAME)\n",
        "src/pkg/names.py": "NAME = 1\n",
    }
    broken = Broken(files).said("NameError: name 'Money' is not defined", ("src/pkg/sub/cart.py", 3))
    expected = "from ..money import Money\nfrom ..names import NAME\n\nx = Money(NAME)\n"
    assert broken.top() == (FIXER, {"src/pkg/sub/cart.py": expected})


# AF-3
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("os", "x = os.sep\n", "import os\n\nx = os.sep\n"),
        (
            "Path",
            '"""Doc."""\n\nimport os\nimport sys\n\nP = Path(os.sep, *sys.path)\n',
            '"""Doc."""\n\nimport os\nimport sys\nfrom pathlib import Path\n\nP = Path(os.sep, *sys.path)\n',
        ),
        (
            "defaultdict",
            "from __future__ import annotations\n\nimport requests\n\nx = defaultdict(requests)\n",
            "from __future__ import annotations\n\nfrom collections import defaultdict\n\n"
            "import requests\n\nx = defaultdict(requests)\n",
        ),
        ("datetime", "n = datetime.now()\n", "from datetime import datetime\n\nn = datetime.now()\n"),
        ("datetime", "n = datetime.datetime.now()\n", "import datetime\n\nn = datetime.datetime.now()\n"),
        (
            "field",
            "from dataclasses import (\n    dataclass,\n)\n\n\n@dataclass\nclass A:\n    b: list = field()\n",
            "from dataclasses import (\n    dataclass,\n    field,\n)\n\n\n"
            "@dataclass\nclass A:\n    b: list = field()\n",
        ),
        ("json", "#!/usr/bin/env python\n# License\n\ndef f():\n    return json.dumps(1)\n", None),
        ("os", "import sys\r\n\r\nx = os.sep, sys\r\n", "import os\r\nimport sys\r\n\r\nx = os.sep, sys\r\n"),
        # A last line without an end stays so: nothing else may change.
        ("os", "import sys\n\nx = os.sep, sys", "import os\nimport sys\n\nx = os.sep, sys"),
        (
            "Path",
            "from pathlib import PurePath\nx = Path, PurePath",
            "from pathlib import Path, PurePath\nx = Path, PurePath",
        ),
    ],
)
def test_names_of_the_standard_library_are_imported_in_order(name: str, before: str, after: str | None) -> None:
    broken = Broken({"a.py": before}).said(f"NameError: name '{name}' is not defined", ("a.py", 1))
    expected = after or before.replace("def f", "import json\n\n\ndef f")
    assert broken.top() == (FIXER, {"a.py": expected})


def test_one_candidate_fixes_all_files_that_lack_the_name() -> None:
    files = dict.fromkeys(("a.py", "b.py", "c.py"), "x = os.sep\n")
    broken = Broken(files)
    for name in files:
        broken.said("Undefined name `os`", (name, 1), category=Category.LINT)
    source, after = broken.top()
    assert (source, set(after)) == (FIXER, set(files))


def test_a_variable_that_is_called_like_a_module_is_not_imported() -> None:
    broken = Broken({"a.py": "def f():\n    return code.strip(), token + 1\n"})
    broken.said("NameError: name 'code' is not defined", ("a.py", 2))
    broken.said("NameError: name 'token' is not defined", ("a.py", 2))
    assert broken.candidates() == []


def test_a_name_of_no_origin_gets_no_proposal_and_broken_files_none_at_all() -> None:
    assert Broken({"a.py": "frobnicate()\n"}).said("name 'frobnicate' is not defined", ("a.py", 1)).candidates() == []
    assert Broken({"a.py": "os.sep(\n"}).said("name 'os' is not defined", ("a.py", 1)).candidates() == []
    assert Broken({"a.py": "os.sep\n"}).said("name 'os' is not defined", ("/usr/lib/x.py", 1)).candidates() == []


def test_a_test_file_is_fixed_only_where_the_error_is_its_own() -> None:
    files = {"tests/test_a.py": "def test():\n    assert os.sep\n"}
    source, after = Broken(files).said("NameError: name 'os' is not defined", ("tests/test_a.py", 2)).top()
    assert (source, set(after)) == (FIXER, {"tests/test_a.py"})
