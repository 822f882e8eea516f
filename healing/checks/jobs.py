"""Reads the jobs of a workflow: expands matrices, names jobs as GitHub shows them and opens reusable workflows."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from healing.checks.artifacts import DOWNLOAD, with_build_commands
from healing.checks.expressions import HOLE, Partial, Unknown, Value, condition, resolve, text, truth, unknowns
from healing.checks.job import Obstacle, OtherMachine, WorkflowJob
from healing.checks.matrix import Cell, MatrixError, UnknownMatrix, cells, job_name
from healing.checks.reading import Setting, first_contexts
from healing.checks.services.service import Service
from healing.checks.source import Items, SourceMapping, TooMuchError, WorkflowError, block_of, items_of
from healing.checks.steps import StepsReader, evaluated, minutes, variables

MAX_DEPTH = 10  # nested workflow calls, including the caller; GitHub's own limit


PORT = re.compile(r"(?:(?:[0-9.]{7,15}:)?([0-9]{1,5})?:)?([0-9]{1,5})(?:/tcp)?\Z")
FREE = 41_000  # first port used where the runner may choose and the container's own port number is already in use
UNLIKE = ("volumes", "command", "entrypoint")


def read_services(setting: Setting, job: SourceMapping) -> Iterator[Service]:
    """Yield the services of a job. An empty image means no service, as on GitHub. Raises WorkflowError."""
    services = block_of(setting.path, job, "services")
    taken: set[int] = set()
    for name, raw in services.items():
        block = raw if isinstance(raw, SourceMapping) else SourceMapping(services.line)
        image = setting.fill(text(block.get("image") if isinstance(raw, SourceMapping) else raw)).shown
        if not image:
            continue
        env = evaluated(block_of(setting.path, block, "env"), setting)
        yield Service(
            name,
            image,
            setting.place(services, name),
            {key: text(value) for key, value in env.items()},
            tuple(_ports(resolve(block.get("ports"), setting.contexts), setting, taken)),
            unknowns(*env.values()),
            tuple(f"`{key}:`" for key in UNLIKE if block.get(key)),
        )


def _ports(value: Value, setting: Setting, taken: set[int]) -> Iterator[tuple[int, int]]:
    for entry in value if isinstance(value, list) else []:
        match = PORT.match(text(resolve(entry, setting.contexts)).strip())
        if not match:
            continue
        inside = int(match.group(2))
        outside = int(match.group(1) or 0) or (inside if inside not in taken else FREE + len(taken))
        taken.add(outside)
        if 0 < outside < 65_536 and 0 < inside < 65_536:
            yield outside, inside


def job_context(services: tuple[Service, ...]) -> Value:
    """The `job` context of expressions: the ports of the job's services."""
    entries: dict[str, Value] = {}
    for service in services:
        ports: dict[str, Value] = {str(inside): str(outside) for outside, inside in service.ports}
        entries[service.name] = {"ports": ports, "id": Unknown((f"job.services.{service.name}.id",))}
    return Partial("job", {"services": entries, "status": "success"})


def read_jobs(setting: Setting, workflow: SourceMapping, prefix: str = "") -> tuple[WorkflowJob, ...]:
    """The jobs of a workflow file, with `prefix` before their names. Raises WorkflowError."""
    jobs = block_of(setting.path, workflow, "jobs")
    if not jobs:
        raise WorkflowError(f"{setting.path}:{jobs.line} has no jobs")
    setting = replace(
        setting,
        env=variables(workflow, setting),
        defaults=_defaults(setting, workflow),
    )
    result: list[WorkflowJob] = []
    for job_id in jobs:
        result += JobReader(setting, job_id, block_of(setting.path, jobs, job_id), prefix, jobs).jobs()
    return tuple(result)


def _defaults(setting: Setting, parent: SourceMapping) -> dict[str, Value]:
    own = block_of(setting.path, block_of(setting.path, parent, "defaults"), "run")
    return {**setting.defaults, **own}


@dataclass
class JobReader:
    """One entry of `jobs:`."""

    setting: Setting
    id: str
    raw: SourceMapping
    prefix: str
    beside: SourceMapping = field(default_factory=SourceMapping)  # all entries, for the jobs that it needs

    @property
    def place(self) -> str:
        """`file:line` of the job."""
        return self.setting.place(self.raw)

    def jobs(self) -> list[WorkflowJob]:
        """One job for each combination of its matrix, or those of the workflow that it calls."""
        strategy = block_of(self.setting.path, self.raw, "strategy")
        try:
            combinations = cells(strategy.get("matrix"), self.setting.contexts)
        except UnknownMatrix as error:
            obstacle = Obstacle(self.setting.place(strategy, "matrix"), f"{error}; {error.taken}")
            jobs = [job for cell in error.cells for job in self.of_cell(cell)]
            return [replace(job, obstacles=(obstacle, *job.obstacles)) for job in jobs]
        except MatrixError as error:
            why = Obstacle(self.setting.place(strategy, "matrix"), str(error), "rest")
            # matches any combination's name, so that the job is found and the reason reported
            return [replace(job, obstacles=(why, *job.obstacles)) for job in self.of_cell(Cell({}, (HOLE,)))]
        return [job for cell in combinations for job in self.of_cell(cell)]

    def of_cell(self, cell: Cell) -> list[WorkflowJob]:
        """The job for one combination, or the jobs of the workflow that it calls. Raises WorkflowError."""
        self.setting.reading.one_more_job(self.place)
        if self.raw.get("uses") is None:
            return [self.job(cell)]
        setting = self.scope(cell)
        try:
            return list(self.called(setting, cell))
        except TooMuchError:
            raise
        except WorkflowError as error:
            place = self.setting.place(self.raw, "uses")
            name = f"{self.name(setting, cell)} / {HOLE}"
            why = Obstacle(place, f"the workflow that it calls can't be opened: {error}", "rest")
            return [WorkflowJob(self.id, name, (), cell.values, place=place, obstacles=(why,))]

    def scope(self, cell: Cell) -> Setting:
        """The job's setting: the contexts of its expressions, its environment and its defaults."""
        matrix: Value = Partial("matrix", cell.values) if cell.shown == (HOLE,) else cell.values
        github = Partial("github", {**_mapping(self.setting.contexts["github"]), "job": self.id})
        setting = self.setting.having(matrix=matrix, github=github)
        setting = replace(setting, defaults=_defaults(setting, self.raw))
        own = variables(self.raw, setting.having(env=dict(setting.env)))
        return replace(setting, env={**setting.env, **own})

    def name(self, setting: Setting, cell: Cell) -> str:
        """The name that GitHub shows."""
        raw = self.raw.get("name")
        if isinstance(raw, str) and "${{" in raw:
            return self.prefix + setting.fill(raw).shown
        return self.prefix + job_name(text(raw) or self.id, cell)

    def job(self, cell: Cell) -> WorkflowJob:
        """The job for one combination."""
        setting = self.scope(cell)
        obstacles: tuple[Obstacle, ...] = tuple(self.machine(setting))
        services = tuple(read_services(setting, self.raw))
        setting = setting.having(job=job_context(services))
        steps = StepsReader(setting).steps(items_of(setting.path, self.raw, "steps"))
        if any((step.uses or "").startswith(DOWNLOAD) for step in steps):
            steps = with_build_commands(steps, self.earlier())
        outcome = condition(self.raw.get("if"), setting.contexts)
        if isinstance(outcome, Unknown) and outcome.truth is None:
            why = f"nobody knows here whether the job's `if:` holds ({', '.join(outcome.names)}); it is taken to"
            obstacles += (Obstacle(setting.place(self.raw, "if"), why),)
        container = self.container(setting)
        if container:
            why = f"it runs in the container {container}, and here outside of it"
            obstacles += (Obstacle(setting.place(self.raw, "container"), why),)
        elsewhere = next((obstacle.label for obstacle in obstacles if isinstance(obstacle, OtherMachine)), "")
        return WorkflowJob(
            id=self.id,
            elsewhere=elsewhere,
            name=self.name(setting, cell),
            steps=steps,
            matrix=cell.values,
            container=container,
            services=services,
            place=self.place,
            reached=truth(outcome),
            obstacles=obstacles,
            minutes=minutes(self.raw, setting),
        )

    def earlier(self) -> Iterator[WorkflowJob]:
        """The jobs that this one needs directly, without those on runners that are not Linux."""
        needs = self.raw.get("needs")
        for name in needs if isinstance(needs, Items) else [needs]:
            raw = self.beside.get(name) if isinstance(name, str) else None
            if isinstance(raw, SourceMapping) and raw.get("uses") is None:
                reader = JobReader(self.setting, str(name), raw, self.prefix)
                yield from (job for job in reader.jobs() if not job.elsewhere)

    def container(self, setting: Setting) -> str:
        """The image of the job's container; empty where there is none."""
        raw = self.raw.get("container")
        image = raw.get("image") if isinstance(raw, SourceMapping) else raw
        return setting.fill(text(image)).shown if image else ""

    def machine(self, setting: Setting) -> Iterator[Obstacle]:
        """Yield the obstacles of the job's runner: here everything runs on Linux."""
        raw = self.raw.get("runs-on")
        labels = raw.get("labels") if isinstance(raw, SourceMapping) else raw
        value = resolve(labels, setting.contexts)
        words = value if isinstance(value, list) else [value]
        place = setting.place(self.raw, "runs-on")
        for word in words:
            label = text(word).lower()
            if isinstance(word, Unknown):
                yield Obstacle(
                    place, f"its runner is ${{{{ {word.names[0]} }}}}, which has no value here; taken for Linux"
                )
            elif label.startswith(("windows", "macos")):
                yield OtherMachine(place, f"it runs on {label}, and Heal's sandbox is Linux", "rest", label)

    def called(self, setting: Setting, cell: Cell) -> Iterator[WorkflowJob]:
        """Yield the jobs of the workflow that this job calls. Raises WorkflowError where it can't be opened."""
        uses = setting.fill(self.raw["uses"]).text
        path = posixpath.normpath(uses)
        if not uses.startswith("./"):
            raise WorkflowError(f"{uses[:200]} lies in another repository")
        if path in (setting.path, *setting.calls):
            raise WorkflowError(f"{path} calls itself")
        if len(setting.calls) + 2 > MAX_DEPTH:
            raise WorkflowError(f"more than {MAX_DEPTH} workflows call one another")
        workflow = setting.reading.file(path)
        if workflow is None:
            raise WorkflowError(f"{path} is not in the tree")
        inputs = self.inputs(setting, path, workflow)
        first = first_contexts(text(_mapping(setting.contexts["github"]).get("workflow")), inputs)
        inner = Setting(setting.reading, path, first, calls=(*setting.calls, setting.path))
        holds = truth(condition(self.raw.get("if"), setting.contexts))
        for job in read_jobs(inner, workflow, f"{self.name(setting, cell)} / "):
            reached = job.reached if holds is True or job.reached is False else holds
            yield replace(job, reached=reached, matrix={**cell.values, **job.matrix})

    def inputs(self, setting: Setting, path: str, workflow: SourceMapping) -> dict[str, Value]:
        """The inputs of the called workflow: the values that are passed, else its defaults. Raises WorkflowError where
        it has no `workflow_call` trigger."""
        on = workflow.get("on")
        if not isinstance(on, SourceMapping) or "workflow_call" not in on:
            names = on if isinstance(on, Items) else [on]
            if "workflow_call" not in names:
                raise WorkflowError(f"{path} is not made to be called: its `on:` has no workflow_call")
            return {}
        call = block_of(path, on, "workflow_call")
        given = block_of(setting.path, self.raw, "with")
        inputs: dict[str, Value] = {}
        for key, declared in block_of(path, call, "inputs").items():
            default = declared.get("default") if isinstance(declared, SourceMapping) else None
            inputs[key] = resolve(given.get(key, default), setting.contexts)
        return inputs


def _mapping(value: Value) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}
