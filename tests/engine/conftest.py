"""One bench for the session: probing and making the base environment are dear."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from healing.sandbox.probe import probe
from healing.toolchain import base_environment
from healing.worktrees import Worktrees
from tests.engine.bench import Bench


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    folder = Path(tempfile.mkdtemp(prefix="heal-engine-"))
    folder.chmod(0o711)
    looked = asyncio.run(probe(folder))
    if looked.sandbox is None:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have a sandbox: {looked.tried}")
        pytest.skip(f"no sandbox works here: {looked.tried}")
    toolchain = asyncio.run(base_environment(folder, looked.sandbox.owner))
    worktrees = Worktrees(folder, looked.sandbox.owner)
    with worktrees.mirror("t/r") as git:
        yield Bench(folder, looked.sandbox, toolchain, worktrees, git)
    assert not list((folder / "trees").glob("*/*")), "a worktree was left behind"
    worktrees.close()
    shutil.rmtree(folder)
