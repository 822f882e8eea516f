"""Reads GitHub workflow files in enough detail to run their commands again.

What can't be reproduced is reported, never guessed: as a `WorkflowError` for a file that can't be read, and as an
`Obstacle` with its file and line for everything else.
"""

from healing.checks.expressions import Partial, Value
from healing.checks.job import Workflow
from healing.checks.jobs import read_jobs
from healing.checks.reading import Read, Setting, WorkflowReading, first_contexts
from healing.checks.source import SourceMapping, WorkflowError, read_yaml

__all__ = ["WorkflowError", "parse_workflow"]


def no_files(_path: str) -> bytes | None:
    """A reader for which no file exists besides the workflow itself."""
    return None


def parse_workflow(path: str, data: bytes, read: Read = no_files) -> Workflow:
    """The workflow in `data`; `read` returns the repository's other files, for the actions and workflows that it calls.
    Raises WorkflowError."""
    tree = read_yaml(path, data)
    name = tree.get("name")
    shown = name if isinstance(name, str) and name else path
    contexts = first_contexts(shown, _inputs(tree))
    return Workflow(path, shown, read_jobs(Setting(WorkflowReading(read), path, contexts), tree))


def _inputs(tree: SourceMapping) -> dict[str, Value]:
    """The inputs of a workflow that no other workflow calls: unknown where it can be started by hand with inputs, else
    none."""
    on = tree.get("on")
    by_hand = on.get("workflow_dispatch") if isinstance(on, SourceMapping) else None
    return Partial("inputs") if isinstance(by_hand, SourceMapping) and by_hand.get("inputs") else {}
