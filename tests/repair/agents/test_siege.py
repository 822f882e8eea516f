"""Agents' tools on a real worktree, whole or layered: no path leads out of it, whatever stands in the way (AG-2)."""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from healing.edits.exact import Changes
from healing.git.layered import Folder
from healing.llm.budget import Budget
from healing.llm.protocol import ToolCall
from healing.pipeline.agent_work.agent_space import AgentSpace
from healing.policy.unsent import UnsentFiles
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.ledger import ClusterLedger
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.tools.toolbox import Toolbox
from healing.steps import MemorySteps
from tests.repair.agents.folder import FolderWorkspace, LintVerifier, task_of
from tests.repair.agents.mute import Mute
from tests.repair.agents.scene import ERRORS, FILES

CANARY = b"canary-77aa"


class Real(FolderWorkspace):
    """Reads and writes as agents do (healing/pipeline/agent_work/agent_space.py), through the folder that real
    worktrees use."""

    def __init__(self, root: Path, folder: Folder) -> None:
        super().__init__(root)
        worktree = SimpleNamespace(tree="", read=folder.read, write=partial(self._write, folder))
        self.space = AgentSpace(SimpleNamespace(unsent=UnsentFiles()), worktree, {})  # type: ignore[arg-type]

    @staticmethod
    def _write(folder: Folder, changes: Changes) -> None:
        for path, data in changes.items():
            folder.remove(path) if data is None else folder.write(path, data)

    async def read(self, path: str) -> bytes | None:
        return await self.space.read(path)

    async def write(self, changes: Changes) -> None:
        await self.space.write(changes)


def besieged(top: Path, layered: bool) -> tuple[Path, Toolbox]:
    """A worktree full of traps beside a secret."""
    outside, root, lower = top / "outside", top / "tree", top / "lower"
    for folder in (outside, root, lower):
        folder.mkdir()
    (outside / "secret").write_bytes(CANARY)
    for place in (root, lower) if layered else (root,):
        (place / "a").mkdir()
        (place / "a" / "file.txt").write_bytes(b"plain text\n")
        (place / ".git").mkdir()
        (place / ".git" / "config").write_bytes(CANARY)
        (place / ".env").write_bytes(CANARY)
        (place / "link").symlink_to(outside)
        (place / "a" / "deep").symlink_to("../../outside")
        (place / "a" / "one").symlink_to("../../outside/secret")
        (place / "proc").symlink_to("/proc/self")
        (place / "loop").symlink_to("loop")
    os.mkfifo(root / "a" / "pipe")
    real = Real(root, Folder(root, lower=lower if layered else None))
    agent_context = AgentContext(Mute(), MemorySteps(), Budget(0.0))
    return outside, Toolbox(
        Scratch(real), LintVerifier(FILES, ERRORS), ClusterLedger(task_of(ERRORS)), "0" * 16, agent_context
    )


PART = st.sampled_from(
    ["a", "file.txt", "deep", "one", "link", "secret", "..", ".", "", ".git", ".GIT", "config", ".env", "proc", "loop",
     "environ", "pipe", "new", "\0", "\\", "outside", "/", "~", "\u2024\u2024", "..\u200b", "x" * 300]
)  # fmt: skip
PATHS = st.lists(PART, min_size=1, max_size=6).map("/".join)


@pytest.fixture(params=[False, True], ids=["whole", "layered"])
def siege(request: pytest.FixtureRequest) -> Iterator[tuple[Path, Toolbox]]:
    with tempfile.TemporaryDirectory() as top:
        yield besieged(Path(top), request.param)


async def use(box: Toolbox, name: str, **arguments: object) -> str:
    return str((await box.run(ToolCall(id="t", name=name, arguments=arguments)))["content"])


# AG-2, AG-10
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=PATHS, text=st.sampled_from(["", "plain", CANARY.decode()]))
def test_no_path_leads_out_whatever_stands_in_the_way(siege: tuple[Path, Toolbox], path: str, text: str) -> None:
    outside, box = siege

    async def besiege() -> None:
        output = [
            await use(box, "read_file", file=path, first_line=1, last_line=0),
            await use(box, "edit_file", file=path, old_string=text, new_string="evil"),
            await use(box, "grep", expression=CANARY.decode(), files=path, context=5),
            await use(box, "glob", pattern=path),
        ]
        edit = {"file": path, "old_string": text, "new_string": "evil"}
        reported = {"title": "t", "explanation": "e", "confidence": 1}
        output.append(await use(box, "suggest_fix", error_ids=["Ealpha"], edits=[edit], **reported))
        assert CANARY.decode() not in "".join(output).replace(f"old_string {text}", "")
        await box.scratch.reset()

    asyncio.run(asyncio.wait_for(besiege(), 20))
    assert {p.name: p.read_bytes() for p in outside.iterdir()} == {"secret": CANARY}
