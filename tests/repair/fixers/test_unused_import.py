"""Imports that a linter calls unused, where no tool of the repository removes them."""

import ast

import pytest

from healing.model import Category, CIError
from tests.pipeline.bench import Bench
from tests.repair.fixers.repos import Broken

MIXED = "import os\nfrom pathlib import (\n    Path,  # for all\n    PurePath,\n    PosixPath,\n)\n\n\nprint(Path)\n"


def without(now: str, *said: tuple[int, str], file: str = "a.py", tool: str = "flake8") -> list[str]:
    """What the file looks like with each of the fixer's candidates; `said` are lines and messages."""
    broken = Broken({file: now})
    for number, (line, message) in enumerate(said):
        error = CIError(id=f"E{number}", tool=tool, category=Category.LINT, file=file, line=line, message=message)
        broken.errors.append(error)
    return [broken.after(c)[file] for c in broken.candidates() if c.source == "fixer:unused_import"]


# AF-3
@pytest.mark.parametrize(
    ("now", "line", "message", "expected"),
    [
        ("import os\n\n\nx = 1\n", 1, "'os' imported but unused", "x = 1\n"),
        ('"""D."""\n\nimport os\n\n\nx = 1\n', 3, "Unused import os", '"""D."""\n\n\nx = 1\n'),
        ("import os\n\nprint(__file__)\n", 1, "'os' imported but unused", "print(__file__)\n"),
        ("import os, sys\n\nsys.exit\n", 1, "unused import 'os' (90% confidence)", "import sys\n\nsys.exit\n"),
        ("import os, sys\n\nos.curdir\n", 1, "'sys' imported but unused", "import os\n\nos.curdir\n"),
        ("import os.path\nx = 1\n", 1, "'os.path' imported but unused", "x = 1\n"),
        ("import os as o\nx = 1\n", 1, "Unused os imported as o", "x = 1\n"),
        ("import os.path\nx = 1\n", 1, "unused import 'os' (90% confidence)", "x = 1\n"),
        ("import os as o\nx = 1\n", 1, "'os as o' imported but unused", "x = 1\n"),
        ("from a.b import c as d, e\ne()\n", 1, "Unused c imported from a.b as d", "from a.b import e\ne()\n"),
        ("from . import b, c\nc()\n", 1, "'.b' imported but unused", "from . import c\nc()\n"),
        ("from a import b, c, d\nc()\n", 1, "'a.d' imported but unused", "from a import b, c\nc()\n"),
        ("import os  # for later\r\nx = 1\r\n", 1, "'os' imported but unused", "x = 1\r\n"),
        (MIXED, 2, "'pathlib.PurePath' imported but unused", MIXED.replace("    PurePath,\n", "")),
        (MIXED, 2, "'pathlib.PosixPath' imported but unused", MIXED.replace("    PosixPath,\n", "")),
    ],
)
def test_an_unused_import_goes_and_all_else_stays(now: str, line: int, message: str, expected: str) -> None:
    assert without(now, (line, message)) == [expected]


# AF-3
def test_several_names_of_one_statement_go_together() -> None:
    said = [(1, f"'m.{name}' imported but unused") for name in ("a", "c", "d")]
    found = set(without("from m import a, b, c, d\nb()\n", *said))
    assert all(ast.parse(text) for text in found)
    assert found <= {f"from m import {', '.join(names)}\nb()\n" for names in _subsets("abcd")}


def _subsets(names: str) -> list[list[str]]:
    return [[name for k, name in enumerate(names) if number >> k & 1] for number in range(1, 1 << len(names))]


# AF-3
def test_what_ruff_reports_is_left_to_ruff() -> None:
    assert without("import os\n\nx = 1\n", (1, "`os` imported but unused"), tool="ruff") == []


# AF-3
@pytest.mark.parametrize(
    ("file", "now", "message"),
    [
        ("a/__init__.py", "from a.b import c\n", "'a.b.c' imported but unused"),  # for those who import the package
        ("a.py", "try:\n    import os\nexcept ImportError:\n    os = None\n", "'os' imported but unused"),
        ("a.py", "import json\njsno.dumps(1)\n", "'json' imported but unused"),  # the use is misspelt
        ("conftest.py", "from a import db\n", "'a.db' imported but unused"),  # a fixture
        ("test_a.py", "from a import db\n\n\ndef test_x(db): ...\n", "'a.db' imported but unused"),
        ("test_a.py", "from a import db\n\nname = 'db'\n", "Unused db imported from a"),
        ("a.py", 'import os\n\n\ndef f():\n    """F.\n\n    >>> os.sep\n    """\n', "'os' imported but unused"),
        ("a.py", "import os; x = 1\n", "'os' imported but unused"),
        ("a.py", "import os\n", "'sys' imported but unused"),
        ("a.txt", "import os\n", "'os' imported but unused"),
    ],
)
def test_an_import_stays_where_its_removal_may_be_wrong(file: str, now: str, message: str) -> None:
    line = 2 if now.startswith("try") else 1
    assert without(now, (line, message), file=file) == []


CHECKER = """\
import ast, sys

tree = ast.parse(open("a.py").read())
used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
unused = [
    (node.lineno, alias.name)
    for node in tree.body
    if isinstance(node, (ast.Import, ast.ImportFrom))
    for alias in node.names
    if alias.name not in used
]
for line, name in unused:
    print(f"a.py:{line}:1: F401 '{name}' imported but unused")
sys.exit(bool(unused))
"""


# AF-3
async def test_what_a_linter_without_fixes_calls_unused_is_removed(bench: Bench) -> None:
    """flake8's words, printed by a script of the repository, so that no tool can repair them."""
    good = "import sys\n\n\ndef leave():\n    sys.exit(0)\n"
    bad = good.replace("import sys\n", "import os\nimport sys\nfrom typing import Any, cast\n")
    files = {"a.py": good, "check.py": CHECKER}
    outcome = await bench.heal(files, {"a.py": bad}, "python check.py", on_pull=True)
    assert outcome.verdict == "healed", [u.why for u in outcome.unfixables]
    assert {p.source for p in outcome.proposals} == {"fixer:unused_import"}
