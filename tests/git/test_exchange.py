"""Fetch and push against git's own server over HTTP, with a token that leaves no trace."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from healing.git import Git, GitError, RefMoved
from healing.git.transport import open_http, open_local
from tests.git.http_git import HttpGit, files_with
from tests.git.oracle import commit_files, git, new_clone, word

WHEN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def remote(served: HttpGit, tmp_path: Path) -> tuple[HttpGit, Path, str]:
    clone = tmp_path / "clone"
    new_clone(clone, {f"d/{n}.txt": b"%d\n" % n * 50 for n in range(60)})
    head = commit_files(clone, {"a.txt": b"two\n"})
    return served, served.add("o/r.git", clone), head


# WT-2
def test_a_commit_is_fetched_by_its_id_alone(remote: tuple[HttpGit, Path, str], store: Git) -> None:
    server, bare, head = remote
    store.fetch(open_http(f"{server.url}/o/r.git", server.auth), [head])
    assert store.tree_of(head) == word(bare, "rev-parse", f"{head}^{{tree}}")
    assert len(store.view(head).paths()) == 61
    assert not store.has(store.parents(head)[0])
    assert git(store.path, "fsck", "--connectivity-only", "--no-dangling") == b""


def test_what_is_here_is_not_asked_for_again_and_the_next_fetch_is_small(
    remote: tuple[HttpGit, Path, str], store: Git, tmp_path: Path
) -> None:
    server, bare, head = remote
    transport = open_http(f"{server.url}/o/r.git", server.auth)
    store.fetch(transport, [head])
    first, asked = max(size for _, _, size in server.requests), len(server.requests)
    store.fetch(transport, [head])
    assert len(server.requests) == asked
    newer = commit_files(tmp_path / "clone", {"a.txt": b"three\n"})
    git(tmp_path / "clone", "push", "-q", str(bare), "main")
    store.fetch(transport, [newer])
    assert store.view(newer).read("a.txt") == b"three\n"
    assert max(size for _, _, size in server.requests[asked:]) < first


def test_more_generations_are_fetched_when_asked_for(remote: tuple[HttpGit, Path, str], store: Git) -> None:
    server, bare, head = remote
    transport = open_http(f"{server.url}/o/r.git", server.auth)
    store.fetch(transport, [head])
    store.fetch(transport, [head], depth=2)
    assert store.has(store.parents(head)[0])
    store.fetch(transport, [head], depth=None)
    assert word(store.path, "rev-list", "--count", head) == word(bare, "rev-list", "--count", head)


# WT-4
def test_the_token_is_nowhere_on_disk_nor_in_what_is_reported(
    remote: tuple[HttpGit, Path, str], store: Git, tmp_path: Path
) -> None:
    server, _, head = remote
    transport = open_http(f"{server.url}/o/r.git", server.auth)
    store.fetch(transport, [head])
    store.checkout(head, tmp_path / "w")
    assert files_with(server.token.encode(), tmp_path) == []
    assert server.token not in repr(transport)
    server.auth = lambda: ("x-access-token", "wrong-" + server.token)  # type: ignore[method-assign]
    with pytest.raises(GitError) as refused:
        store.fetch(open_http(f"{server.url}/o/r.git", server.auth), ["1" * 40])
    assert server.token not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None


def test_an_address_with_credentials_in_it_is_refused_without_repeating_them() -> None:
    with pytest.raises(GitError) as refused:
        open_http("https://x-access-token:canary@host.test/o/r.git")
    assert "canary" not in str(refused.value)
    with pytest.raises(GitError):
        open_http("file:///etc")


def test_a_commit_that_is_not_there_and_a_server_that_is_not_there_are_reported(
    remote: tuple[HttpGit, Path, str], store: Git
) -> None:
    server, _, head = remote
    with pytest.raises(GitError, match="could not fetch"):
        store.fetch(open_http(f"{server.url}/o/r.git", server.auth), ["1" * 40])
    with pytest.raises(GitError, match="could not fetch"):
        store.fetch(open_http(f"{server.url}/o/none.git", server.auth), [head])
    with pytest.raises(GitError, match="could not fetch"):
        store.fetch(open_http("http://127.0.0.1:9/o/r.git"), [head])


def test_a_push_sends_only_what_is_new_and_moves_the_ref_only_from_where_it_was(
    remote: tuple[HttpGit, Path, str], store: Git
) -> None:
    server, bare, head = remote
    transport = open_http(f"{server.url}/o/r.git", server.auth)
    store.fetch(transport, [head])
    tip = store.commit(store.write_tree(head, {"d/1.txt": b"new\n"}), [head], "fix", "H <h@x>", WHEN)
    store.push(transport, "refs/heads/heal/1", tip, None)
    assert word(bare, "rev-parse", "refs/heads/heal/1") == tip
    assert git(bare, "fsck", "--connectivity-only", "--no-dangling") == b""
    with pytest.raises(RefMoved, match=tip):
        store.push(transport, "refs/heads/heal/1", head, None)
    store.push(transport, "refs/heads/heal/1", None, tip)
    assert word(bare, "for-each-ref", "refs/heads/heal/1") == ""


def test_a_push_of_few_edits_to_a_local_repository_is_a_small_pack(tmp_path: Path, store: Git) -> None:
    clone = tmp_path / "clone"
    head = new_clone(clone, {f"d/{n}.txt": b"%d\n" % n for n in range(60)})
    git(tmp_path, "clone", "-q", "--bare", str(clone), "bare.git")
    transport = open_local(tmp_path / "bare.git")
    store.fetch(transport, [head])
    before = int(
        word(tmp_path / "bare.git", "cat-file", "--batch-all-objects", "--batch-check", "--unordered").count("\n")
    )
    tip = store.commit(store.write_tree(head, {"d/1.txt": b"new\n"}), [head], "fix", "H <h@x>", WHEN)
    store.push(transport, "refs/heads/main", tip, head)
    after = int(
        word(tmp_path / "bare.git", "cat-file", "--batch-all-objects", "--batch-check", "--unordered").count("\n")
    )
    assert after - before == 4  # a commit, two trees, a blob
