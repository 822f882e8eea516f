"""What an error says is lacking may be added, also beside the product; anything more or else may not."""

# ruff: noqa: E501  (a line for each case)

import json

import pytest

from healing.verify.missing_parts import ReportedFailures, missing_part
from healing.verify.roles import Role

TEST = "tests/test_cli.py"
HEAD = {TEST: b"text = open('docs/cli.md').read()\n", "tests/data/a.txt": b"", "spec/old.txt": b"", "CLI.md": b"",
        "tests/conftest.py": b"@pytest.fixture(scope='session')\ndef table():\n    return 1\n\n\ndef helper():\n    return 2\n"}  # fmt: skip


class Head:
    """The files of the branch."""

    def paths(self) -> tuple[str, ...]:
        return tuple(HEAD)

    def read(self, path: str) -> bytes | None:
        return HEAD.get(path)


def why(path: str, old: str | None, new: str | None, role: Role, text: str = "") -> str:
    change = (None if old is None else old.encode(), None if new is None else new.encode())
    return missing_part(path, change, role, ReportedFailures(text, (TEST,), Head()))  # type: ignore[arg-type]


PACKAGE = {"name": "a", "version": "1.0", "exports": "./b.js", "scripts": {"test": "node --test"}}


# JD-1
@pytest.mark.parametrize(
    ("path", "old", "new", "role", "text", "reason"),
    [
        ("docs/cli.md", "# CLI\n", "# CLI\n\n`menu list`\n", Role.DOCS, "", "the failing test reads it"),
        (
            "tests/data/words.txt", None, "a\n", Role.DATA,
            "FileNotFoundError: [Errno 2] No such file or directory: '/w/tests/data/words.txt'", "it was not there",
        ),
        ("tests/one/__init__.py", None, "", Role.TESTS, "import file mismatch:", "test files have the same name"),
        (
            "pytest.ini", "[pytest]\n", "[pytest]\nmarkers =\n  slow: late\n", Role.JUDGE,
            "'slow' not found in `markers` configuration option", "the marker slow is not registered",
        ),
        (
            "tests/conftest.py", "def shoutter(): return 1\n", "def shouter(): return 1\n", Role.JUDGE,
            "fixture 'shouter' not found", "the fixture shouter is not there",
        ),
        (
            TEST, "p = Path('a')\n", "from pathlib import Path\np = Path('a')\n", Role.TESTS,
            "NameError: name 'Path' is not defined", "it doesn't import Path",
        ),
        (
            TEST, "def test_a(city):\n    assert city\n", "def test_a(table):\n    assert table\n", Role.TESTS,
            "fixture 'city' not found", "the fixture city is not there, and table is",
        ),
        ("Makefile", "test:\n\tpytest test\n", "test:\n\tpytest tests\n", Role.JUDGE, "ERROR: file or directory not found: test", "it names test, which is"),
        (
            "go.mod", "module example.com/fery\n", "module example.com/ferry\n", Role.JUDGE,
            "package example.com/ferry/pier is not in GOROOT", "imported by another name",
        ),
        ("pyproject.toml", "[project]\nversion = '1'\n", "[project]\nversion = '2'\n", Role.JUDGE, "", "it describes"),
        (
            "package.json", json.dumps(PACKAGE), json.dumps({**PACKAGE, "exports": "./a.js"}), Role.JUDGE, "",
            "which files the package is",
        ),
    ],
)  # fmt: skip
def test_what_is_lacking_is_behind_the_error(
    path: str, old: str | None, new: str, role: Role, text: str, reason: str
) -> None:
    assert reason in why(path, old, new, role, text)


# JD-1
@pytest.mark.parametrize(
    ("path", "old", "new", "role", "text"),
    [
        ("docs/cli.md", "# CLI\n\n`a`\n", "# CLI\n", Role.DOCS, ""),
        ("docs/other.md", "# CLI\n", "# CLI\n\nmore\n", Role.DOCS, ""),
        ("tests/data/words.txt", None, "a\n", Role.DATA, "AssertionError: 1 == 2"),
        ("tests/data/words.py", None, "a = 1\n", Role.TESTS, "No such file or directory: 'words.py'"),
        ("tests/data/words.txt", "a\n", "b\n", Role.DATA, "No such file or directory: 'words.txt'"),
        ("tests/one/__init__.py", None, "import tests.fake\n", Role.TESTS, "import file mismatch:"),
        ("pytest.ini", "[pytest]\naddopts = -x\n", "[pytest]\nmarkers = slow\n", Role.JUDGE, "'slow' not found in `markers` configuration option"),
        ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -k slow --deselect a --ignore b --no-header -p no:x\n", Role.JUDGE, "'slow' not found in `markers` configuration option"),
        ("tests/conftest.py", "def shoutter(): return 1\n", "def shouter(): return 2\n", Role.JUDGE, "fixture 'shouter' not found"),
        ("tests/conftest.py", "def a(): return 1\n", "def b(): return 1\n", Role.JUDGE, "fixture 'shouter' not found"),
        (TEST, "p = Path('a')\n", "Path = str\np = Path('a')\n", Role.TESTS, "NameError: name 'Path' is not defined"),
        (TEST, "p = Path('a')\nassert p\n", "from pathlib import Path\np = Path('a')\n", Role.TESTS, "name 'Path' is not defined"),
        ("tests/test_b.py", "p = Path('a')\n", "from pathlib import Path\np = Path('a')\n", Role.TESTS, "name 'Path' is not defined"),
        ("Makefile", "test:\n\tpytest tests\n", "test:\n\tpytest spec\n", Role.JUDGE, ""),
        ("Makefile", "test:\n\tpytest tests\n", "test:\n\techo tests\n", Role.JUDGE, ""),
        ("Makefile", "test:\n\tpytest tset\n", "test:\n\tpytest nothing\n", Role.JUDGE, "not found: tset"),
        ("Makefile", "test:\n\tpython -m pytest\n", "test:\n\tpython -m spec\n", Role.JUDGE, "assert 1 == 2"),
        ("go.mod", "module example.com/fery\n", "module example.com/other\n", Role.JUDGE, "package example.com/ferry/pier is not in GOROOT"),
        ("pyproject.toml", "[project]\nversion = '1'\n", "[project]\nversion = '2'\n[tool.pytest.ini_options]\naddopts = '-x'\n", Role.JUDGE, ""),
        ("pyproject.toml", "[project\n", "[project]\n", Role.JUDGE, ""),
        ("package.json", json.dumps(PACKAGE), json.dumps({**PACKAGE, "scripts": {"test": "true"}}), Role.JUDGE, ""),
        ("package.json", json.dumps(PACKAGE), json.dumps({**PACKAGE, "exports": "./a.js", "jest": {}}), Role.JUDGE, ""),
    ],
)  # fmt: skip
def test_more_than_what_is_lacking_is_not(path: str, old: str | None, new: str, role: Role, text: str) -> None:
    assert why(path, old, new, role, text) == ""


# JD-2
@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            "def test_a(city):\n    assert city\n",
            "def test_a(helper):\n    assert helper\n",
            "fixture 'city' not found",
        ),
        ("def test_a(city):\n    assert city\n", "def test_a(table):\n    assert True\n", "fixture 'city' not found"),
        ("def test_a(city):\n    assert city\n", "def test_a(table):\n    assert table\n", "assert 1 == 2"),
    ],
)
def test_a_test_asks_for_another_fixture_only_where_its_own_is_gone_and_the_other_is_one(
    old: str, new: str, text: str
) -> None:
    assert why(TEST, old, new, Role.TESTS, text) == ""
