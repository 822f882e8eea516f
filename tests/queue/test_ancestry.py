"""Merge bases as git finds them, also where histories cross and clocks go wrong."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from healing.git.branches import Branches
from tests.git.oracle import ENV, git, new_clone, word

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is the judge here; install Debian's git")

# Each commit: how many steps back its parents lie, and its time.
COMMITS = st.lists(
    st.tuples(st.lists(st.integers(1, 6), min_size=1, max_size=2, unique=True), st.integers(0, 40)),
    min_size=2,
    max_size=14,
)


def history(at: Path, commits: list[tuple[list[int], int]]) -> list[str]:
    tree = word(at, "rev-parse", "HEAD^{tree}")
    made = [word(at, "rev-parse", "HEAD")]
    for number, (back, time) in enumerate(commits):
        parents = dict.fromkeys(made[max(len(made) - steps, 0)] for steps in back)
        words = [word for parent in parents for word in ("-p", parent)]
        date = f"{1_700_000_000 + time} +0000"
        env = {**ENV, "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
        argv = ["git", "commit-tree", tree, *words, "-m", f"{number}"]
        made.append(subprocess.run(argv, cwd=at, env=env, check=True, capture_output=True, text=True).stdout.strip())
    return made


@settings(max_examples=25, deadline=None)
@given(commits=COMMITS)
def test_merge_bases_are_those_that_git_finds(tmp_path_factory: pytest.TempPathFactory, commits: list) -> None:
    at = tmp_path_factory.mktemp("history")
    new_clone(at)
    made = history(at, commits)
    with Branches.of(at) as branches:
        for one, other in ((made[-1], made[-2]), (made[-1], made[len(made) // 2])):
            expected = git(at, "merge-base", "--all", one, other, ok=(0, 1)).decode().split()
            assert list(branches.merge_bases(one, other)) == sorted(expected)


def test_two_histories_that_never_met_have_no_merge_base(tmp_path: Path) -> None:
    one = new_clone(tmp_path / "clone")
    git(tmp_path / "clone", "checkout", "-q", "--orphan", "other")
    git(tmp_path / "clone", "commit", "-q", "-m", "alone")
    with Branches.of(tmp_path / "clone") as branches:
        assert branches.merge_bases(one, word(tmp_path / "clone", "rev-parse", "HEAD")) == ()
