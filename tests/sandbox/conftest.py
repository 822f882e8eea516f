"""Real back ends on this machine, a data folder that the sandboxed user can pass through, a worktree that is his."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from healing.environment.toolchain import Toolchain
from healing.process.owner import Owner, hand_over, sandbox_owner
from healing.sandbox.job import Sandbox
from healing.sandbox.probe import Choice, probe
from tests.toolchains import laid_out, memory

BACK_ENDS: tuple[Choice, ...] = ("bubblewrap", "landlock")


@pytest.fixture(scope="session")
def owner() -> Owner | None:
    return sandbox_owner()


@pytest.fixture(scope="session")
def data() -> Iterator[Path]:
    """Not tmp_path: pytest makes that one private to root, where the sandboxed user can't pass through. In memory where
    that may hold programs: some thousand small files come and go."""
    folder = Path(tempfile.mkdtemp(prefix="heal-test-data-", dir=memory()))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def toolchain(data: Path, owner: Owner | None) -> Toolchain:
    return laid_out(data, owner)


@pytest.fixture
def worktree(data: Path, owner: Owner | None) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="worktree-", dir=data))
    hand_over(folder, owner)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def probed(data: Path) -> dict[str, Sandbox]:
    """The back ends that work here. A missing one is skipped on a developer's machine and fails in CI."""
    found: dict[str, Sandbox] = {}
    for name in BACK_ENDS:
        looked = asyncio.run(probe(data, name))
        if looked.sandbox:
            found[name] = looked.sandbox
        elif os.environ.get("CI"):
            pytest.fail(f"CI must have {name}: {looked.tried}")
    return found


@pytest.fixture(params=BACK_ENDS)
def sandbox(request: pytest.FixtureRequest, probed: dict[str, Sandbox]) -> Sandbox:
    if request.param not in probed:
        pytest.skip(f"{request.param} does not work on this machine")
    return probed[request.param]
