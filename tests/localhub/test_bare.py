"""What the hub remembers of a bare repository is what git would say of it now."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lab.localhub.bare import Bare, GitError, Signature

WHO = Signature("Noor", "noor@example.com", datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    return Bare.create(tmp_path / "shop.git", "main")


def commit(bare: Bare, text: str, *parents: str) -> str:
    tree = bare.tree(None, [("100644", bare.blob(text.encode()), "a.txt")])
    return bare.commit(tree, list(parents), text, WHO, WHO)


def asked_of_git(bare: Bare, rev: str) -> str | None:
    return bare.run("rev-parse", "--verify", "--quiet", f"{rev}^{{commit}}").stdout.decode().strip() or None


def test_a_branch_is_read_as_it_is_now_whether_moved_deleted_or_made_again(bare: Bare) -> None:
    first = commit(bare, "one")
    second = commit(bare, "two", first)
    for held in (first, second, None, first):
        bare.set_ref("refs/heads/topic/x", held)
        for name in ("topic/x", "refs/heads/topic/x"):
            assert bare.sha(name) == held == asked_of_git(bare, name)


def test_refs_that_git_has_packed_are_found(bare: Bare) -> None:
    first = commit(bare, "one")
    bare.set_ref("refs/heads/topic", first)
    bare.git("pack-refs", "--all")
    assert not (bare.path / "refs" / "heads" / "topic").exists()
    assert bare.sha("topic") == bare.branch("topic") == first


def test_a_tag_of_a_branchs_name_comes_first_as_with_git(bare: Bare) -> None:
    first = commit(bare, "one")
    second = commit(bare, "two", first)
    bare.set_ref("refs/heads/both", first)
    bare.git("tag", "-a", "-m", "x", "both", second, env=WHO.env("COMMITTER"))
    assert bare.sha("both") == second == asked_of_git(bare, "both")
    assert bare.branch("both") == first


@pytest.mark.parametrize("rev", ["", "-x", "nosuch", "refs/heads", "refs/heads/../../config", "HEAD", "../shop.git"])
def test_what_names_no_commit_is_none(bare: Bare, rev: str) -> None:
    assert bare.sha(rev) is None


def test_what_was_not_there_is_found_once_it_is(bare: Bare, tmp_path: Path) -> None:
    other = Bare.create(tmp_path / "other.git", "main")
    first = commit(other, "one")
    second = commit(other, "two", first)
    assert bare.sha(second) is None
    assert not bare.is_ancestor(first, second)
    assert not bare.is_ancestor(first, "nosuch")
    assert bare.read(second, "a.txt") is None
    with pytest.raises(GitError):
        bare.commits(first, second)
    bare.git("fetch", "-q", str(other.path), second)
    assert bare.sha(second) == second
    assert bare.is_ancestor(first, second)
    assert not bare.is_ancestor(second, first)
    assert bare.read(second, "a.txt") == b"two"
    assert bare.read(second, "b.txt") is None
    assert bare.commits(first, second) == [second]
    assert bare.sha_at(second, "a.txt") == bare.blob(b"two")
    assert bare.sha_at(second, "b.txt") is None


def test_histories_without_a_common_commit_have_no_merge_base(bare: Bare) -> None:
    assert bare.merge_base(commit(bare, "one"), commit(bare, "two")) is None


def test_of_a_repository_that_is_made_again_at_the_same_place_nothing_is_remembered(tmp_path: Path) -> None:
    for _ in range(2):
        bare = Bare.create(tmp_path / "again.git", "main")
        assert bare.read(commit(bare, "one"), "a.txt") == b"one"
        shutil.rmtree(bare.path)
