"""What was written over a folder is set aside and laid over others like it."""

import os
import shutil
from pathlib import Path

import pytest

from healing.git.disk import copy_tree
from healing.git.laying import NotLayable, lay_over, move_changed_entries


@pytest.fixture
def base(tmp_path: Path) -> Path:
    made = tmp_path / "base"
    (made / "pkg" / "deep").mkdir(parents=True)
    (made / "pkg" / "a.py").write_text("a = 1\n")
    (made / "pkg" / "deep" / "b.py").write_text("b = 1\n")
    (made / "link").symlink_to("pkg")
    return made


def contents(folder: Path) -> dict[str, str]:
    found = sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return {str(p.relative_to(folder)): os.readlink(p) if p.is_symlink() else p.read_text() for p in found}


# WT-2
def test_what_was_written_over_a_copy_makes_another_copy_the_same(tmp_path: Path, base: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for copy in (first, second):
        copy_tree(base, copy, None)
    (first / "node_modules" / "left").mkdir(parents=True)
    (first / "node_modules" / "left" / "index.js").write_text("42")
    (first / "pkg" / "a.py").write_text("a = 2 # more\n")
    (first / "pkg" / "a.egg-info").write_text("x")
    (first / "link").unlink()
    (first / "link").symlink_to("node_modules")
    wanted = contents(first)
    move_changed_entries(first, base, tmp_path / "aside", None)
    assert set(contents(tmp_path / "aside")) == {"node_modules/left/index.js", "pkg/a.py", "pkg/a.egg-info", "link"}
    assert not (tmp_path / "aside" / "pkg" / "deep").exists()
    lay_over(tmp_path / "aside", second, base, None)
    assert contents(second) == wanted


# WT-2
def test_what_a_worktree_has_otherwise_than_its_base_stays_so(tmp_path: Path, base: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    (base / ".git").mkdir()
    (base / ".git" / "HEAD").write_text("of the base")
    for copy in (first, second):
        copy_tree(base, copy, None)
    for path in ("pkg/a.py", "pkg/deep/b.py", "made.txt", ".git/HEAD", "new/x"):
        (first / path).parent.mkdir(exist_ok=True)
        (first / path).write_text("by set-up")
    (second / "pkg" / "a.py").write_text("by the fix")
    (second / "pkg" / "deep" / "b.py").unlink()
    (second / "made.txt").write_text("by the fix")
    move_changed_entries(first, base, tmp_path / "aside", None)
    lay_over(tmp_path / "aside", second, base, None)
    assert contents(second) == {
        ".git/HEAD": "of the base",
        "link": "pkg",
        "made.txt": "by the fix",
        "new/x": "by set-up",
        "pkg/a.py": "by the fix",
    }


# WT-2
@pytest.mark.parametrize("harm", ["removed", "another kind"])
def test_what_was_removed_or_became_something_else_can_not_be_laid_over(tmp_path: Path, base: Path, harm: str) -> None:
    first = tmp_path / "first"
    copy_tree(base, first, None)
    shutil.rmtree(first / "pkg" / "deep")
    if harm == "another kind":
        (first / "pkg" / "deep").symlink_to("/etc")
    with pytest.raises(NotLayable):
        move_changed_entries(first, base, tmp_path / "aside", None)


def test_no_link_is_followed_out_of_the_folder(tmp_path: Path, base: Path) -> None:
    outside, aside = tmp_path / "outside", tmp_path / "aside"
    outside.mkdir()
    (aside / "link").mkdir(parents=True)
    (aside / "link" / "evil").write_text("x")
    (aside / "up").symlink_to(outside)
    first = tmp_path / "first"
    copy_tree(base, first, None)
    (first / "link").unlink()
    (first / "link").symlink_to(outside)
    lay_over(aside, first, None, None)
    assert list(outside.iterdir()) == []
    assert (first / "link").readlink() == outside
    assert (first / "up").readlink() == outside
