"""A clone on a laptop: its working tree is read as git reads it, and nothing is written into it."""

import os
import random
import time
from pathlib import Path

import pytest

from healing.git import Git, GitError
from healing.git.errors import Skipped
from healing.git.folder import MAX_FILE
from healing.git.run_id import run_id
from tests.git.oracle import git, new_clone, word
from tests.git.test_round_trip import NAMES, stir


def state_of(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in folder.rglob("*")}


# WT-1
def test_a_clean_working_tree_is_its_commits_tree_even_with_converted_line_ends(tmp_path: Path, store: Git) -> None:
    clone = tmp_path / "c"
    head = new_clone(clone, {".gitattributes": b"*.txt text eol=crlf\n", "a.txt": b"1\n2\n", "b": b"x\n"})
    os.unlink(clone / "a.txt")
    git(clone, "checkout", "a.txt")
    assert (clone / "a.txt").read_bytes() == b"1\r\n2\r\n"
    time.sleep(0.02)
    git(clone, "update-index", "--refresh")
    os.utime(clone / ".git" / "index")
    before = state_of(clone)
    tree, commit, _ = store.working_tree(clone)
    assert (tree, commit) == (word(clone, "rev-parse", "HEAD^{tree}"), head)
    assert state_of(clone) == before
    assert store.view(tree).read("a.txt") == b"1\n2\n"


# WT-1
@pytest.mark.parametrize("seed", range(12))
def test_uncommitted_and_unignored_files_are_part_of_the_tree(tmp_path: Path, store: Git, seed: int) -> None:
    dice = random.Random(seed)
    clone = tmp_path / "c"
    new_clone(clone, {name: dice.randbytes(9) for name in NAMES if dice.random() < 0.7} | {".gitignore": b"*.o\n"})
    (clone / ".git" / "info" / "exclude").write_text("log.txt\n")
    stir(clone, dice)
    if dice.random() < 0.5:
        git(clone, "add", "-A")
        stir(clone, dice)
    tree = store.working_tree(clone / "lib" if (clone / "lib").is_dir() else clone).tree
    git(clone, "add", "-A")
    assert tree == word(clone, "write-tree")


def test_a_sparse_clone_keeps_what_is_not_on_disk(tmp_path: Path, store: Git) -> None:
    clone = tmp_path / "c"
    new_clone(clone, {"a/x": b"1", "b/y": b"2", "b/z/w": b"3", "top": b"4"})
    git(clone, "sparse-checkout", "set", "a")
    assert not (clone / "b").exists()
    assert store.working_tree(clone)[0] == word(clone, "rev-parse", "HEAD^{tree}")


def test_a_linked_worktree_is_a_clone_too(tmp_path: Path, store: Git) -> None:
    new_clone(tmp_path / "c")
    git(tmp_path / "c", "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    (tmp_path / "linked" / "new").write_bytes(b"n")
    tree = store.working_tree(tmp_path / "linked").tree
    assert store.view(tree).paths() == ("a.txt", "new")


def test_no_clone_no_commit_and_no_files_are_reported(tmp_path: Path, store: Git) -> None:
    (tmp_path / "plain").mkdir()
    git(tmp_path, "init", "-q", "empty")
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    for name, output in (("plain", "not inside a git"), ("empty", "no commit"), ("bare.git", "bare")):
        with pytest.raises(GitError, match=output):
            store.working_tree(tmp_path / name)


# WT-1, UX-3
def test_an_index_that_is_split_or_sparse_is_reported_with_the_way_out(tmp_path: Path, store: Git) -> None:
    new_clone(tmp_path / "split")
    git(tmp_path / "split", "update-index", "--split-index")
    with pytest.raises(GitError, match="git update-index --no-split-index"):
        store.working_tree(tmp_path / "split")
    git(tmp_path / "split", "update-index", "--no-split-index")
    assert store.view(store.working_tree(tmp_path / "split")[0]).paths() == ("a.txt",)
    sparse = tmp_path / "sparse"
    new_clone(sparse)
    for name in ("in", "out"):
        (sparse / name).mkdir()
        (sparse / name / "f").write_bytes(b"f")
    git(sparse, "add", "-A")
    git(sparse, "commit", "-q", "-m", "folders")
    git(sparse, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    with pytest.raises(GitError, match="git sparse-checkout reapply --no-sparse-index"):
        store.working_tree(sparse)
    git(sparse, "sparse-checkout", "reapply", "--no-sparse-index")
    assert store.view(store.working_tree(sparse)[0]).paths() == ("a.txt", "in/f", "out/f")


# WT-1, UX-3
def test_a_repository_with_sha_256_is_reported(tmp_path: Path, store: Git) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "new")
    git(tmp_path / "new", "commit", "-q", "--allow-empty", "-m", "first")
    with pytest.raises(GitError, match="Heal reads repositories with SHA-1 only"):
        store.working_tree(tmp_path / "new")


# WT-1
def test_a_clone_in_a_folder_whose_name_is_not_utf_8_is_read_each_time(tmp_path: Path, store: Git) -> None:
    clone = Path(os.fsdecode(os.fsencode(tmp_path / "lat") + b"\xe9"))
    new_clone(clone)
    (clone / "new").write_bytes(b"n")
    for _ in range(2):
        assert store.view(store.working_tree(clone)[0]).paths() == ("a.txt", "new")


# WT-1
def test_a_run_id_is_made_of_tree_and_commit_in_that_order() -> None:
    assert run_id("a" * 40, "b" * 40) == "e2b0cbb905bf82ce"
    assert run_id("a" * 40, "b" * 40) != run_id("b" * 40, "a" * 40)
    assert run_id("A" * 40, "b" * 40) == run_id("a" * 40, "b" * 40)
    for wrong in ("", "a" * 39, "g" * 40):
        with pytest.raises(ValueError, match="hex"):
            run_id(wrong, "b" * 40)


# CLI-3
def test_a_branch_had_its_ancestors_and_its_tips_before_an_amend_and_no_others(tmp_path: Path, store: Git) -> None:
    clone = tmp_path / "c"
    first = new_clone(clone)
    git(clone, "commit", "-q", "--allow-empty", "-m", "second")
    second = word(clone, "rev-parse", "HEAD")
    git(clone, "commit", "-q", "--amend", "--allow-empty", "-m", "reworded")
    assert store.was_here(clone, first)
    assert store.was_here(clone, second), "amended since"
    git(clone, "checkout", "-q", "-b", "other", first)
    assert store.was_here(clone, first)
    assert not store.was_here(clone, second)
    git(clone, "checkout", "-q", "--detach")
    assert not store.was_here(clone, second)
    assert not store.was_here(clone, "0" * 40)


# WT-1
def test_an_untracked_file_over_the_largest_size_is_left_out_and_named(tmp_path: Path, store: Git) -> None:
    clone = tmp_path / "data"
    new_clone(clone)
    for name in ("dump.bin", "a.txt"):
        with (clone / name).open("ab") as file:
            file.truncate(MAX_FILE + 1)
    with pytest.raises(GitError, match=r"a\.txt is over 100 MB"):
        store.working_tree(clone)  # a tracked one that changed can't be left out
    (clone / "a.txt").write_bytes(b"small")
    read = store.working_tree(clone)
    assert store.view(read.tree).paths() == ("a.txt",)
    assert read.left_out == (Skipped("dump.bin", "is over 100 MB"),)
