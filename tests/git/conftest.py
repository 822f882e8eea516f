"""A store per test, and git over HTTP with a token."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from healing.git import Git
from tests.git.http_git import HttpGit


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Git]:
    with Git.open(tmp_path / "store.git") as git:
        yield git


@pytest.fixture
def served(tmp_path: Path) -> Iterator[HttpGit]:
    with HttpGit(tmp_path / "served", token="canary-9f3b1c77") as server:
        yield server
