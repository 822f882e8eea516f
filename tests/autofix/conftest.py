"""A folder for a small repo, npm's packages, and a bench that has them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.bench import Bench, open_bench
from tests.npm import needs_npm


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def packages() -> Path:
    """npm's packages."""
    return needs_npm()


@pytest.fixture(scope="session")
def node_bench(packages: Path) -> Iterator[Bench]:
    """A bench whose sandbox can read npm's packages."""
    with open_bench(packages / ".bin") as made:
        yield made


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    with open_bench() as made:
        yield made
