"""Reads GitHub workflow files far enough to run their `run:` steps again: matrix, env, defaults, folders, shells.

What can't be reproduced is named, never guessed (CK-1): `WorkflowError` for a file that can't be read, `unknown` on a
step whose expression has no value here. Composite actions, reusable workflows and services come later.
"""

import itertools
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from healing.checks.check import Script
from healing.checks.expressions import Scope, fill


class WorkflowError(Exception):
    """A workflow file that can't be read; the message says where and why."""


@dataclass(frozen=True)
class Step:
    """One step of a job. `script` is None for `uses:` steps; `unknown` lists expressions without a value here."""

    name: str
    script: Script | None
    uses: str | None = None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class WorkflowJob:
    """One job of one matrix combination, under the name that GitHub shows."""

    id: str
    name: str
    steps: tuple[Step, ...]
    matrix: dict[str, str] = field(default_factory=dict)
    container: bool = False
    services: tuple[str, ...] = ()


@dataclass(frozen=True)
class Workflow:
    """A workflow file with its jobs, matrices spread out."""

    path: str
    name: str
    jobs: tuple[WorkflowJob, ...]

    def job(self, name: str) -> WorkflowJob | None:
        """The job that GitHub shows as `name` (its id counts too where that is unique)."""
        named = [job for job in self.jobs if job.name == name]
        return named[0] if named else next((job for job in self.jobs if job.id == name), None)


def parse_workflow(path: str, data: bytes) -> Workflow:
    """The workflow in `data`. Raises WorkflowError."""
    try:
        tree = YAML(typ="safe", pure=True).load(data.decode("utf-8", "replace"))
    except (YAMLError, ValueError, RecursionError) as error:
        raise WorkflowError(f"{path} is not readable YAML: {str(error).splitlines()[0]}") from error
    jobs = _mapping(_mapping(tree).get("jobs"))
    if not jobs:
        raise WorkflowError(f"{path} has no jobs")
    spread = [job for key, raw in jobs.items() for job in _jobs(str(key), _mapping(raw), _mapping(tree))]
    return Workflow(path, str(_mapping(tree).get("name") or path), tuple(spread))


def _mapping(value: object) -> dict[str, Any]:
    return {str(k): v for k, v in value.items()} if isinstance(value, dict) else {}


def _jobs(job_id: str, raw: dict[str, Any], workflow: dict[str, Any]) -> list[WorkflowJob]:
    matrix = _mapping(_mapping(raw.get("strategy")).get("matrix"))
    return [_job(job_id, raw, workflow, combination) for combination in combinations(matrix)]


def combinations(matrix: dict[str, Any]) -> list[dict[str, str]]:
    """Every combination of a matrix with `include` and `exclude` applied; one empty one without a matrix."""
    axes = {k: v for k, v in matrix.items() if k not in ("include", "exclude") and isinstance(v, list)}
    combos = (
        [dict(zip(axes, map(_text, values), strict=True)) for values in itertools.product(*axes.values())]
        if axes
        else []
    )
    dropped = [_texts(item) for item in matrix.get("exclude") or [] if isinstance(item, dict)]
    combos = [c for c in combos if not any(all(c.get(k) == v for k, v in d.items()) for d in dropped)]
    for item in matrix.get("include") or []:
        if isinstance(item, dict):
            combos = _include(combos, _texts(item), set(axes))
    return combos or [{}]


def _include(combos: list[dict[str, str]], extra: dict[str, str], axes: set[str]) -> list[dict[str, str]]:
    fits = [c for c in combos if all(c.get(k) == v for k, v in extra.items() if k in axes)]
    if not fits:
        return [*combos, extra]
    return [{**c, **extra} if c in fits else c for c in combos]


def _texts(item: dict[Any, Any]) -> dict[str, str]:
    return {str(k): _text(v) for k, v in item.items()}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _job(job_id: str, raw: dict[str, Any], workflow: dict[str, Any], matrix: dict[str, str]) -> WorkflowJob:
    env = _texts(_mapping(workflow.get("env"))) | _texts(_mapping(raw.get("env")))
    scope = Scope(matrix, env)
    defaults = _mapping(_mapping(workflow.get("defaults")).get("run")) | _mapping(
        _mapping(raw.get("defaults")).get("run")
    )
    shown = fill(str(raw["name"]), scope)[0] if raw.get("name") else _default_name(job_id, matrix)
    steps = tuple(_step(_mapping(step), scope, defaults) for step in raw.get("steps") or [])
    services = tuple(_mapping(raw.get("services")))
    return WorkflowJob(job_id, shown, steps, matrix, bool(raw.get("container")), services)


def _default_name(job_id: str, matrix: dict[str, str]) -> str:
    return f"{job_id} ({', '.join(matrix.values())})" if matrix else job_id


def _step(raw: dict[str, Any], scope: Scope, defaults: dict[str, Any]) -> Step:
    unknown: list[str] = []

    def filled(value: object) -> str:
        text, missing = fill(_text(value), scope)
        unknown.extend(missing)
        return text

    env = {k: filled(v) for k, v in (scope.env | _texts(_mapping(raw.get("env")))).items()}
    if raw.get("run") is None:
        uses = _text(raw.get("uses"))
        return Step(filled(raw["name"]) if raw.get("name") else f"Run {uses}", None, uses)
    run = filled(raw["run"])
    name = filled(raw["name"]) if raw.get("name") else f"Run {run.strip().splitlines()[0] if run.strip() else ''}"
    cwd = filled(raw.get("working-directory") or defaults.get("working-directory") or ".")
    shell = filled(raw.get("shell") or defaults.get("shell") or "")
    return Step(name, Script(name=name, run=run, cwd=cwd, env=env, shell=shell or "bash"), None, tuple(unknown))
