"""A branch of a person's clone is deleted only where it is as expected, and nobody is on it."""

import shutil
from pathlib import Path

import pytest

from healing.git import GitError
from healing.git.branches import Branches
from tests.git.oracle import git, new_clone, word

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="the clone is made with git; install Debian's git")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    new_clone(tmp_path / "clone", {"a.txt": b"a\n"})
    git(tmp_path / "clone", "branch", "topic")
    return tmp_path / "clone"


# MQ-5
@pytest.mark.parametrize("packed", [False, True])
def test_a_branch_at_the_expected_commit_is_gone_for_git_too(clone: Path, packed: bool) -> None:
    if packed:
        git(clone, "pack-refs", "--all")
    tip = word(clone, "rev-parse", "topic")
    with Branches.of(clone) as branches:
        assert not branches.remove("topic", "0" * 39 + "1"), "it is not at that commit"
        assert branches.tip("topic") == tip
        assert branches.remove("topic", tip)
    assert word(clone, "branch", "--list", "topic") == ""
    git(clone, "fsck", "--strict")
    git(clone, "branch", "topic")


# MQ-5
def test_one_that_a_worktree_is_on_or_rebases_stays(clone: Path) -> None:
    tip = word(clone, "rev-parse", "topic")
    git(clone, "worktree", "add", "-q", str(clone.parent / "tree"), "topic")
    own = clone / ".git/worktrees/tree"
    with Branches.of(clone) as branches:
        assert not branches.remove("topic", tip)
        assert not branches.remove(branches.current() or "", tip)
        (own / "HEAD").write_text(f"{tip}\n")
        (own / "rebase-merge").mkdir()
        (own / "rebase-merge" / "head-name").write_text("refs/heads/topic\n")
        assert not branches.remove("topic", tip)
        shutil.rmtree(own / "rebase-merge")
        assert branches.remove("topic", tip)


# MQ-5
@pytest.mark.parametrize("name", ["../../config", "-d", "HEAD", "a..b", ""])
def test_no_name_leads_out_of_the_branches(clone: Path, name: str) -> None:
    with Branches.of(clone) as branches, pytest.raises(GitError):
        branches.remove(name, "0" * 40)
