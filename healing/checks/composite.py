"""Opens actions in the repository itself. Composite ones become steps; the others raise an error that names their
kind."""

import posixpath
from dataclasses import dataclass, replace

from healing.checks.check import WORKSPACE
from healing.checks.expressions import Partial, Unknown, Value, resolve, text
from healing.checks.reading import Setting
from healing.checks.source import Items, SourceMapping, WorkflowError, block_of, items_of

MAX_DEPTH = 10  # nested composite actions; GitHub's own limit


@dataclass(frozen=True)
class OpenedAction:
    """The steps of a composite action, not yet parsed, with their setting."""

    setting: Setting
    steps: Items


def open_action(setting: Setting, uses: str, given: dict[str, Value]) -> OpenedAction:
    """The composite action in the folder `uses`. Raises WorkflowError where it does not exist or can't be opened."""
    folder = posixpath.normpath(uses)
    path, action = _action_file(setting, folder)
    if path in setting.calls:
        raise WorkflowError(f"{' → '.join((*setting.calls[-3:], path))} calls itself")
    if len(setting.calls) >= MAX_DEPTH:
        raise WorkflowError(f"more than {MAX_DEPTH} actions call one another")
    runs = block_of(path, action, "runs")
    using = text(runs.get("using"))
    if using != "composite":
        what = {"docker": "a container"}.get(using, "JavaScript" if using.startswith("node") else f"“{using[:40]}”")
        raise WorkflowError(f"{path}:{runs.lines.get('using', runs.line)}: it runs {what}, not steps")
    inner = replace(setting, path=path, defaults={}, calls=(*setting.calls, path))
    here = posixpath.join(WORKSPACE, folder)
    github = Partial("github", {**_mapping(setting.contexts["github"]), "action_path": here})
    inner = inner.having(inputs=_inputs(inner, block_of(path, action, "inputs"), given), github=github, steps={})
    return OpenedAction(inner, items_of(path, runs, "steps"))


def _mapping(value: Value) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}


def _action_file(setting: Setting, folder: str) -> tuple[str, SourceMapping]:
    if folder.startswith(".."):
        raise WorkflowError("it lies outside the repository")
    for name in ("action.yml", "action.yaml"):
        path = posixpath.normpath(posixpath.join(folder, name))
        action = setting.reading.file(path)
        if action is not None:
            return path, action
    raise WorkflowError(f"there is no {posixpath.join(folder, 'action.yml')} in the tree")


def _inputs(setting: Setting, declared: SourceMapping, given: dict[str, Value]) -> dict[str, Value]:
    """The inputs of the action, all of them text: the values that are passed, else its defaults."""
    folded = {key.lower(): value for key, value in given.items()}
    inputs: dict[str, Value] = {}
    for key, raw in declared.items():
        default = raw.get("default") if isinstance(raw, SourceMapping) else None
        value = resolve(default, setting.contexts)
        inputs[key] = folded.get(key.lower(), value if isinstance(value, Unknown) else text(value))
    return inputs
