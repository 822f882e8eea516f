"""Which path of a command only the newer tree has."""

import pytest

from healing.checks.check import Script
from healing.checks.new_paths import newly_named
from healing.view import DictView

BEFORE = {"old/a.py": b"", "tests/test_a.py": b""}
AFTER = BEFORE | {"new/b.py": b"", "tests/test_b.py": b""}


# ENV-3
@pytest.mark.parametrize(
    ("command", "folder", "path"),
    [
        ("cd new && pytest -q", ".", "new"),
        ("(cd ./new/; make)", ".", "new"),
        ("pytest -q", "new", "new"),
        ("pytest tests/test_a.py tests/test_b.py::test_x", ".", "tests/test_b.py"),
        ("pytest test_b.py", "tests", "tests/test_b.py"),
        ("mypy --config-file=new/b.py old", ".", "new/b.py"),
        ("cd old && pytest -q tests", ".", ""),
        ("pytest ../new /new", ".", ""),
        ("pytest nowhere.py", ".", ""),
        ("", ".", ""),
    ],
)
def test_the_first_path_that_the_older_tree_lacks_is_named(command: str, folder: str, path: str) -> None:
    step = Script(name="t", run=command, cwd=folder)
    assert newly_named(step, DictView(BEFORE), DictView(AFTER)) == path


# ENV-3
def test_a_word_that_is_called_like_the_folder_is_looked_for_inside_it() -> None:
    before, after = {"pkg/a.py": b""}, {"pkg/a.py": b"", "pkg/pkg/b.py": b""}
    step = Script(name="t", run="pytest pkg", cwd="pkg")
    assert newly_named(step, DictView(before), DictView(after)) == "pkg/pkg"
