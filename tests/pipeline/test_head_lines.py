"""Errors are shown at lines of the head, whatever tree CI built."""

from pathlib import Path

import pytest

from healing.failed_jobs import Trees
from healing.git import Git
from healing.git.objects import Objects
from healing.model import Category, CIError
from healing.pipeline.head_lines import head_lines


def error(name: str, file: str | None, line: int | None, end: int | None = None) -> CIError:
    return CIError(
        id=name, tool="ruff", code="F821", category=Category.LINT, file=file, line=line, end_line=end, message="bad"
    )


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return Git.open(tmp_path / "store.git")


HEAD = b"one\ntwo\nthree\n"
MERGED = b"from main\nzero\none\ntwo\nthree\n"


def trees(git: Git, head: dict[str, bytes], built: dict[str, bytes]) -> Trees:
    with Objects(git.path) as objects:
        empty = objects.add_tree({})
    return Trees(head=git.write_tree(empty, {**head}), built=git.write_tree(empty, {**built}))


# GH-3, IN-8
def test_a_line_of_the_merge_is_shown_where_the_head_has_it(git: Git) -> None:
    found = head_lines(
        (error("moved", "a.py", 4), error("over", "a.py", 3, 5), error("same", "b.py", 1)),
        git,
        trees(git, {"a.py": HEAD, "b.py": b"x"}, {"a.py": MERGED, "b.py": b"x"}),
    )
    assert found == {"moved": (2, 2), "over": (1, 3), "same": (1, 1)}


# GH-3
def test_what_the_head_does_not_have_is_not_shown_anywhere(git: Git) -> None:
    errors = (
        error("only in the merge", "a.py", 1),
        error("after the end", "b.py", 2),
        error("before the start", "b.py", 0),
        error("no line", "b.py", None),
        error("no file", None, 3),
        error("another file", "gone.py", 1),
        error("end that is before the start", "a.py", 5, 4),
    )
    found = head_lines(errors, git, trees(git, {"a.py": HEAD, "b.py": b"x\n"}, {"a.py": MERGED, "b.py": b"x\n"}))
    assert found == {"end that is before the start": (3, 3)}
