"""Commits of which only some files are fetched, against git's own server: with filters and ids, and without either."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from healing.git import Git, GitError
from healing.git.transport import Transport, open_http
from tests.git.http_git import HttpGit
from tests.git.oracle import commit_files, git, new_clone

NOISE = {f"d{n % 7}/{n}.bin": os.urandom(3_000) for n in range(40)}
FILES = {**NOISE, ".github/heal.yml": b"verify: local\n", "a.txt": b"one\n"}
FILTER, ANY = "allowFilter", "allowAnySHA1InWant"


def is_setting(path: str) -> bool:
    return path.startswith(".github/")


def scene(server: HttpGit, room: Path, serves: tuple[str, ...] = (FILTER, ANY)) -> tuple[Transport, str]:
    """A transport to a repository of two commits, and the id of the first: no ref leads there directly."""
    first = new_clone(room / "clone", FILES)
    commit_files(room / "clone", {"a.txt": b"two\n"})
    server.add("r.git", room / "clone", serves)
    return open_http(f"{server.url}/r.git", server.auth), first


# WT-2
@pytest.mark.parametrize("serves", [(FILTER, ANY), (FILTER,), (ANY,), ()])
@pytest.mark.parametrize("newest", [True, False])
def test_files_are_read_and_then_all_of_them_whatever_the_server_serves(
    served: HttpGit, tmp_path: Path, store: Git, serves: tuple[str, ...], newest: bool
) -> None:
    transport, commit = scene(served, tmp_path, serves)
    served.newest = newest
    store.fetch_files(transport, commit, is_setting)
    assert store.view(commit).read(".github/heal.yml") == b"verify: local\n"
    assert store.view(commit).paths() == tuple(sorted(FILES))
    blobless = FILTER in serves and newest
    assert store.has_whole(commit) is not blobless
    assert (max(size for *_, size in served.requests) < 10_000) is blobless
    store.fetch(transport, [commit])
    assert store.has_whole(commit)
    store.checkout(commit, tmp_path / "out")
    assert {path: (tmp_path / "out" / path).read_bytes() for path in FILES} == FILES
    git(store.path, "fsck", "--connectivity-only", "--no-dangling")


# WT-2
def test_the_files_come_in_one_request_and_only_those_that_are_not_here(
    served: HttpGit, tmp_path: Path, store: Git
) -> None:
    transport, commit = scene(served, tmp_path)
    store.fetch_files(transport, commit, lambda path: False)
    assert not store.has_files(commit, is_setting)
    with pytest.raises(GitError, match="is not here"):
        store.view(commit).read("a.txt")
    before = len(served.requests)
    store.fetch_files(transport, commit, lambda path: path.startswith(("d1/", "a.")))
    assert len([1 for method, *_ in served.requests[before:] if method == "POST"]) == 2  # HEAD, and the files
    assert store.view(commit).read("a.txt") == b"one\n"
    asked = len(served.requests)
    store.fetch_files(transport, commit, lambda path: path == "a.txt")
    assert len(served.requests) == asked


# WT-2
def test_a_commit_that_lacks_files_is_not_offered_as_something_that_is_here(
    served: HttpGit, tmp_path: Path, store: Git
) -> None:
    transport, commit = scene(served, tmp_path)
    store.fetch_files(transport, commit, is_setting)
    newest = commit_files(tmp_path / "clone", {"b.txt": b"new\n"})
    git(tmp_path / "clone", "push", "-q", str(served.root / "r.git"), "main")
    store.fetch(transport, [newest])
    store.checkout(newest, tmp_path / "out")
    assert (tmp_path / "out" / "d1" / "1.bin").read_bytes() == FILES["d1/1.bin"]
    before = len(served.requests)
    store.fetch(transport, [commit])  # of which now only one version of one file is missing
    assert max(size for *_, size in served.requests[before:]) < 10_000
    assert store.view(commit).read("a.txt") == b"one\n"


def test_a_server_that_gives_nobody_files_by_their_ids_gives_the_whole_commit(
    served: HttpGit, tmp_path: Path, store: Git
) -> None:
    transport, commit = scene(served, tmp_path)
    asked_for = git(tmp_path / "clone", "rev-parse", f"{commit}:.github/heal.yml").strip()
    served.refused = b"want " + asked_for
    store.fetch_files(transport, commit, is_setting)
    assert store.view(commit).read(".github/heal.yml") == b"verify: local\n"
    assert store.has_whole(commit)


KILLED = """
import os, sys
from pathlib import Path
from healing.git import Git
from healing.git.transport import open_http
with Git.open(Path(sys.argv[1])) as git:
    transport = open_http(sys.argv[2], lambda: ("x-access-token", sys.argv[4]))
    git.fetch_files(transport, sys.argv[3], lambda path: os._exit(9))
"""


# WT-2
def test_a_commit_without_files_does_not_pass_for_whole_because_heal_was_killed_between_the_requests(
    served: HttpGit, tmp_path: Path
) -> None:
    transport, commit = scene(served, tmp_path)
    path = tmp_path / "store.git"
    argv = [sys.executable, "-c", KILLED, str(path), f"{served.url}/r.git", commit, served.token]
    assert subprocess.run(argv, check=False).returncode == 9
    with Git.open(path) as again:
        assert again.has(commit)
        assert not again.has_whole(commit)
        again.fetch(transport, [commit])
        assert again.view(commit).read("a.txt") == b"one\n"


def test_what_is_made_on_a_commit_without_files_can_be_pushed(served: HttpGit, tmp_path: Path, store: Git) -> None:
    transport, commit = scene(served, tmp_path)
    store.fetch_files(transport, commit, is_setting)
    tree = store.write_tree(commit, {"a.txt": b"healed\n"})
    tip = store.commit(tree, [commit], "fix", "H <h@x>", datetime(2026, 1, 1, tzinfo=UTC))
    store.push(transport, "refs/heads/heal/1", tip, None)
    assert git(served.root / "r.git", "show", f"{tip}:a.txt") == b"healed\n"
