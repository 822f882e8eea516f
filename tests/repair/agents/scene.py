"""One agent in a real folder, against the stand-in over real TCP: the stage of the loop's tests."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.retry import Retry
from healing.model import CIError
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.contexts import excerpts
from healing.repair.agents.docs import Docs
from healing.repair.agents.loop import run_agent
from healing.repair.agents.task import AgentLimits, AgentResult, AgentTask
from healing.steps import MemorySteps, Steps
from healing.view import DictView
from tests.model_standin import Brain, Standin, serve
from tests.repair.agents.folder import FolderWorkspace, LintVerifier, fill, task_of, undefined

NAMES = ("alpha", "beta", "gamma", "delta")
FILES = {f"src/{name}.py": f"import os\n\n\ndef {name}_path():\n    return {name}(os)\n".encode() for name in NAMES}
FILES["tests/test_app.py"] = b"def test_it():\n    assert 1 == 1\n"
ERRORS = tuple(undefined(name, f"src/{name}.py", 5) for name in NAMES)
IDS = tuple(error.id for error in ERRORS)
FIXES = {f"src/{name}.py": (f"return {name}(os)", "return str(os)") for name in NAMES}


async def no_sleep(seconds: float) -> None:
    """For retries whose pauses don't matter."""


IMPATIENT = Retry(jitter=lambda: 0.0, now=lambda: 0.0, sleep=no_sleep, attempts=2, deadline=30)


@dataclass
class Scene:
    """The stage after serving: run agents on it, then look."""

    standin: Standin
    root: Path
    files: dict[str, bytes]
    errors: tuple[CIError, ...]
    steps: Steps = field(default_factory=MemorySteps)
    budget: Budget = field(default_factory=lambda: Budget(10.0))
    limits: AgentLimits = field(default_factory=AgentLimits)
    docs: Docs | None = None
    trajectories: Any = None
    model_name: str = "claude-sonnet-5-5"
    beside: bool = False

    def __post_init__(self) -> None:
        self.workspace = FolderWorkspace(self.root)
        self.verifier = LintVerifier(self.files, self.errors, self.workspace)

    def task(self, **more: object) -> AgentTask:
        task = task_of(self.errors, **more)
        return task.model_copy(update={"contexts": excerpts(task.cluster, self.errors, DictView(self.files).read)})

    async def run(self, **more: object) -> AgentResult:
        model = AnthropicModel(self.model_name, self.standin.key, self.standin.url)
        try:
            agent_context = AgentContext(
                model, self.steps, self.budget, self.docs, IMPATIENT, self.limits, self.trajectories
            )
            agent_context = replace(agent_context, beside=self.beside)
            return await run_agent(self.task(**more), self.workspace, self.verifier, agent_context)
        finally:
            await model.close()

    def words(self, number: int) -> str:
        """All text of the last user message of one request, tool results included."""
        content = self.standin.asked[number].body["messages"][-1]["content"]
        return "\n".join(block.get("text") or str(block.get("content", "")) for block in content)


@contextlib.asynccontextmanager
async def scene(
    tmp_path: Path, brain: Brain, errors: tuple[CIError, ...] = ERRORS, files: dict[str, bytes] = FILES
) -> AsyncIterator[Scene]:
    """A folder with the files, a stand-in with the brain."""
    root = tmp_path / "worktree"
    fill(root, files)
    async with serve(brain) as standin:
        yield Scene(standin, root, files, errors)
