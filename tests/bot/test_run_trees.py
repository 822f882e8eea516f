"""The trees of a run, fetched over HTTP from git itself: whole where checks run on them, else only what is read."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.runs.repo_rules import rules_at
from bot.runs.trees import RunTrees
from bot.store.attempts import Origin
from healing.git import Git
from healing.git.transport import Transport, open_http
from tests.git.http_git import HttpGit
from tests.git.oracle import commit_files, git, new_clone, word

FILES = {f"d/{n}.bin": os.urandom(4_000) for n in range(20)}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HttpGit]:
    with HttpGit(tmp_path / "served", token="t") as server:
        yield server


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Git]:
    with Git.open(tmp_path / "store.git") as git:
        yield git


@pytest.fixture
def commits(hub: HttpGit, tmp_path: Path) -> dict[str, str]:
    """A branch, the base it grew from, where the base is now, and the merge of the two."""
    clone = tmp_path / "clone"
    base = new_clone(clone, {**FILES, "a.txt": b"a\n", "b.txt": b"b\n"})
    target = commit_files(clone, {"b.txt": b"target\n"})
    git(clone, "checkout", "-q", "-b", "topic", base)
    head = commit_files(clone, {"a.txt": b"head\n"})
    git(clone, "merge", "-q", "--no-ff", "-m", "merge", target)
    merge = word(clone, "rev-parse", "HEAD")
    hub.add("r.git", clone, ("allowAnySHA1InWant", "allowFilter"))
    return {"head": head, "base": base, "target": target, "merge": merge}


def trees_of(hub: HttpGit, store: Git, opened: list[str]) -> RunTrees:
    async def transport() -> Transport:
        opened.append("once")
        return open_http(f"{hub.url}/r.git", hub.auth)

    return RunTrees(store, transport)


# WT-2
async def test_what_is_only_read_comes_without_the_rest_and_opens_git_once(
    hub: HttpGit, store: Git, commits: dict[str, str]
) -> None:
    opened: list[str] = []
    trees = trees_of(hub, store, opened)
    for _ in range(3):
        view = await trees.reading(commits["base"], lambda path: path == "b.txt")
        assert view.read("b.txt") == b"b\n"
    assert opened == ["once"]
    assert sum(size for *_, size in hub.requests) < 20_000


# IN-8
async def test_a_merge_that_a_log_names_is_looked_at_without_its_files(
    hub: HttpGit, store: Git, commits: dict[str, str]
) -> None:
    trees = trees_of(hub, store, [])
    assert await trees.claimed_merge(commits["merge"], commits["head"]) == commits["merge"]
    assert await trees.claimed_merge(commits["target"], commits["head"]) is None
    assert await trees.claimed_merge("1" * 40, commits["head"]) is None
    assert sum(size for *_, size in hub.requests) < 20_000


# IN-8
async def test_the_trees_of_a_run_are_whole_whatever_was_read_of_its_commits_before(
    hub: HttpGit, store: Git, commits: dict[str, str], tmp_path: Path
) -> None:
    trees = trees_of(hub, store, [])
    for sha in commits.values():
        await trees.reading(sha, lambda path: path == "a.txt")
    claimed = await trees.of(Origin(**commits))
    merged = await trees.of(Origin(**commits).model_copy(update={"merge": None}))
    assert claimed == merged
    for number, tree in enumerate((claimed.head, claimed.built, claimed.target, claimed.merge_base)):
        assert tree is not None
        store.checkout(tree, tmp_path / f"out{number}")
        assert (tmp_path / f"out{number}" / "d" / "3.bin").read_bytes() == FILES["d/3.bin"]


MATCHER = b'{"problemMatcher": [{"owner": "own", "pattern": [{"regexp": "^(.+): (.+)$", "file": 1, "message": 2}]}]}'


# WT-2
async def test_a_repositorys_rules_are_read_without_fetching_its_code(hub: HttpGit, store: Git, tmp_path: Path) -> None:
    rules = {
        ".github/heal.yml": b"problem_matchers: [tools/own.json]\n",
        ".github/heal/specialists/own.toml": b'purpose = "x"\n',
        ".healignore": b"secret/\n",
        "tools/own.json": MATCHER,
    }
    head = new_clone(tmp_path / "clone", {**FILES, **rules})
    hub.add("r.git", tmp_path / "clone", ("allowAnySHA1InWant", "allowFilter"))
    found = await rules_at(trees_of(hub, store, []), head)
    assert [matcher.owner for matcher in found.matchers] == ["own"], found.unusable
    assert "secret/key" in found.unsent
    specialists, wrong = await found.specialists()
    assert len(specialists) + len(wrong) == 1
    assert not store.has_whole(head)
    assert sum(size for *_, size in hub.requests) < 20_000
