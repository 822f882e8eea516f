"""State that the readers of one workflow file share: the repository's other files, the limits, and the current
position."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from healing.checks.check import WORKSPACE
from healing.checks.expressions import Filled, Partial, Unknown, Value, fill
from healing.checks.source import SourceMapping, TooMuchError, read_yaml

Read = Callable[[str], bytes | None]

MAX_STEPS = 20_000  # of one workflow, across all combinations and called actions
MAX_JOBS = 1_000
RUNNER: dict[str, Value] = {"os": "Linux", "arch": "X64", "temp": "/tmp", "environment": "github-hosted"}  # noqa: S108


@dataclass
class WorkflowReading:
    """One workflow being read: its repository's files and what is left of the limits."""

    read: Read
    steps_left: int = MAX_STEPS
    jobs_left: int = MAX_JOBS
    files: dict[str, SourceMapping] = field(default_factory=dict)

    def file(self, path: str) -> SourceMapping | None:
        """A YAML file of the repository; None where it doesn't exist. Raises WorkflowError where it can't be read."""
        if path not in self.files:
            data = self.read(path)
            if data is None:
                return None
            self.files[path] = read_yaml(path, data)
        return self.files[path]

    def one_more_step(self, place: str) -> None:
        """Count a step. Raises TooMuchError."""
        self.steps_left -= 1
        if self.steps_left < 0:
            raise TooMuchError(f"{place}: the workflow has more than {MAX_STEPS} steps, all combinations together")

    def one_more_job(self, place: str) -> None:
        """Count a job. Raises TooMuchError."""
        self.jobs_left -= 1
        if self.jobs_left < 0:
            raise TooMuchError(f"{place}: the workflow has more than {MAX_JOBS} jobs, all combinations together")


@dataclass(frozen=True)
class Setting:
    """The surroundings of a part of a workflow: its file and the contexts of its expressions. `env` holds evaluated
    variables, `defaults` the enclosing `defaults.run`, `calls` the files that led here."""

    reading: WorkflowReading
    path: str
    contexts: dict[str, Value]
    env: dict[str, Value] = field(default_factory=dict)
    defaults: dict[str, Value] = field(default_factory=dict)
    calls: tuple[str, ...] = ()

    def having(self, **contexts: Value) -> "Setting":
        """A copy with more contexts."""
        return replace(self, contexts={**self.contexts, **contexts})

    def place(self, block: SourceMapping, key: str = "") -> str:
        """`file:line` of a mapping or of one of its keys."""
        return f"{self.path}:{block.lines.get(key, block.line)}"

    def fill(self, raw: Value) -> Filled:
        """A scalar as text."""
        return fill(raw, self.contexts)


def first_contexts(workflow: str, inputs: dict[str, Value]) -> dict[str, Value]:
    """The contexts that every expression of a workflow can use."""
    github: dict[str, Value] = {
        "workflow": workflow,
        "workspace": WORKSPACE,
        "server_url": "https://github.com",
        "api_url": "https://api.github.com",
        "graphql_url": "https://api.github.com/graphql",
        "ref": Unknown(("github.ref",), begins=("refs/heads/", "refs/pull/")),  # Heal runs for branches, not for tags
        "ref_type": "branch",
    }
    return {
        "github": Partial("github", github),
        "runner": Partial("runner", RUNNER),
        "inputs": inputs,
        "env": {},
        **{name: Partial(name) for name in ("vars", "secrets", "needs", "strategy", "job")},
    }
