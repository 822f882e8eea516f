"""Folders of programs that the operator names: found, readable with what lies beside them, and not writable."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from healing.environment.toolchain import Toolchain, ToolchainError
from healing.sandbox.job import Job, Sandbox


@pytest.fixture
def programs() -> Iterator[Path]:
    """A `bin` with a program that reads a file beside it, and that calls itself `python` too."""
    with tempfile.TemporaryDirectory(prefix="heal-programs-") as folder:
        top = Path(folder)
        top.chmod(0o755)
        (top / "lib").mkdir()
        (top / "lib" / "said").write_text("hello\n")
        (top / "bin").mkdir()
        for name in ("greet", "python"):
            (top / "bin" / name).write_text('#!/bin/sh\ncat "$(dirname "$0")/../lib/said"\n')
            (top / "bin" / name).chmod(0o755)
        yield top / "bin"


# WT-5
async def test_a_named_folder_of_programs_is_found_inside_behind_heals_own(
    sandbox: Sandbox, toolchain: Toolchain, worktree: Path, programs: Path
) -> None:
    made = toolchain.with_programs((programs,))
    script = 'greet; python -c "print(1)"; touch "$(dirname "$(command -v greet)")/x" 2>/dev/null || echo closed'
    ended = await sandbox.run(Job(("sh", "-c", script), worktree, env=made.env, readable=made.readable))
    assert ended.output == b"hello\n1\nclosed\n"


@pytest.mark.parametrize("folder", ["relative/bin", "/no/such/folder"])
def test_what_is_no_folder_is_refused_before_any_check_fails_for_it(toolchain: Toolchain, folder: str) -> None:
    with pytest.raises(ToolchainError, match="take it out of HEAL_PROGRAMS"):
        toolchain.with_programs((Path(folder),))
