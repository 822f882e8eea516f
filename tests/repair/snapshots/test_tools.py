"""How each tool is told to write its snapshots anew, and which files are its own."""

import pytest

from healing.checks.check import Check, Script
from healing.model import Category, CIError
from healing.repair.snapshots.tools import TOOLS, SnapshotTool
from healing.view import DictView

BY_NAME = {tool.name: tool for tool in TOOLS}
FILES = {
    "tests/__snapshots__/test_a.ambr": b"",
    "src/__snapshots__/a.test.js.snap": b"",
    "src/snapshots/stock__a.snap": b"",
    "tests/test_inline.py": b"from inline_snapshot import snapshot\n",
    "tests/test_a.py": b"def test_a(): ...\n",
    "package.json": b'{"scripts": {"test": "jest --ci", "more": "jest && echo"}}',
}


def failing(tool: str, test: str) -> CIError:
    return CIError(
        id="E1", tool=tool, category=Category.TEST, message="differs", test=test, file=test.partition("::")[0]
    )


def check(run: str) -> Check:
    return Check(workflow="", job="", step=Script(name="Tests", run=run))


@pytest.mark.parametrize(
    ("name", "test", "files"),
    [
        ("syrupy", "tests/test_a.py::test_a", ("tests/__snapshots__/test_a.ambr",)),
        ("inline-snapshot", "tests/test_inline.py::test_a", ("tests/test_inline.py",)),
        ("inline-snapshot", "tests/test_a.py::test_a", ()),
        ("jest", "a", ("src/__snapshots__/a.test.js.snap",)),
        ("insta", "tests::a", ("src/snapshots/stock__a.snap",)),
    ],
)
def test_only_snapshots_that_are_there_may_be_written(name: str, test: str, files: tuple[str, ...]) -> None:
    assert BY_NAME[name].files(DictView(FILES), [failing("pytest", test)]) == files


@pytest.mark.parametrize(
    ("name", "run", "output"),
    [
        (
            "syrupy",
            "make lint && pytest",
            'export PYTEST_ADDOPTS="$PYTEST_ADDOPTS --snapshot-update"\nmake lint && pytest',
        ),
        (
            "insta",
            "cargo test --all && true",
            "export INSTA_UPDATE=always\nexport INSTA_FORCE_PASS=1\ncargo test --all && true",
        ),
        ("jest", "npx jest --ci", "npx jest --ci --coverage=false --testTimeout=30000 -t '^a$' -u"),
        ("jest", "npm test", "npx --no-install jest --ci --coverage=false --testTimeout=30000 -t '^a$' -u"),
        ("vitest", "npx vitest run", "npx vitest run -t '^a$' -u"),
        ("vitest", "npm run more", None),
        ("jest", "npm run more", None),
        ("jest", "node run-tests.js", None),
    ],
)
def test_the_check_itself_is_told_to_write_them(name: str, run: str, output: str | None) -> None:
    tool: SnapshotTool = BY_NAME[name]
    test = failing(tool.reported_by[0], "a").model_copy(update={"file": None})
    script = tool.script(check(run), (test,), DictView(FILES))
    assert (script.run if script else None) == output


def test_inside_of_a_test_nothing_but_its_snapshots_may_change() -> None:
    tool, old = BY_NAME["inline-snapshot"], b"def test_a():\n    assert f(1) == snapshot(2)\n"
    assert tool.only(old, old.replace(b"snapshot(2)", b"snapshot([3,\n 4])"))
    assert not tool.only(old, old.replace(b"f(1)", b"f(2)"))
    assert not tool.only(old, old.replace(b"assert f(1) == snapshot(2)", b"pass"))
    assert not tool.only(old, b"def test_a(:\n")
