"""Decides for a step whether a run here is evidence about CI's run: the check with its set-up, and the obstacles."""

from collections.abc import Iterator
from dataclasses import dataclass

from healing.checks.check import Check, Script
from healing.checks.job import Obstacle, Step, Workflow, WorkflowJob
from healing.checks.recognising import is_check, is_lint, prepares, split_install_lines
from healing.checks.services.service import Service
from healing.checks.services.starting import difference, kind_of, missing, servers_of
from healing.checks.versions import runtimes


@dataclass(frozen=True)
class Reproduction:
    """A step as a check. With `blockers` a run here would be no evidence about CI; `notes` describe differences from
    CI."""

    job: WorkflowJob
    step: Step
    check: Check
    blockers: tuple[Obstacle, ...] = ()
    notes: tuple[Obstacle, ...] = ()


def reproduce(workflow: Workflow, job: WorkflowJob, step: Step, skipped: frozenset[str] = frozenset()) -> Reproduction:
    """The step (one of `job.scripts()`) as a check, with the job's earlier `run:` steps that prepare something as its
    set-up. `skipped` names steps that CI is known to have skipped."""
    assert step.script is not None
    scripts = job.scripts()
    earlier = [s for s in scripts[: scripts.index(step)] if s.reached is not False and s.shown not in skipped]
    setup = [s for s in earlier if prepares(s.script)]
    install, rest = split_install_lines(step.script) if is_check(step.script) else (None, step.script)
    prepared = [s.script for s in setup if s.script is not None] + ([install] if install else [])
    minutes = min(step.minutes or job.minutes or 360, job.minutes or 360)
    servers = () if is_lint(step.script) else servers_of(job.services, bool(job.container))
    check = Check(
        workflow=workflow.path,
        job=job.name,
        step=rest.model_copy(update={"tolerant": False}),
        setup=tuple(prepared),
        seconds=minutes * 60 if step.minutes or job.minutes else None,
        servers=servers,
        runtimes=runtimes(job, step),
    )
    obstacles = tuple(dict.fromkeys(_obstacles(job, step, setup, skipped)))
    return Reproduction(
        job, step, check, tuple(o for o in obstacles if o.fatal), tuple(o for o in obstacles if not o.fatal)
    )


def _obstacles(job: WorkflowJob, step: Step, setup: list[Step], skipped: frozenset[str]) -> Iterator[Obstacle]:
    yield from job.obstacles
    yield from _services(job, step.script)
    for earlier in job.steps:
        if earlier.number < step.number and earlier.reached is not False and earlier.shown not in skipped:
            yield from (o for o in earlier.all_obstacles() if earlier.script is None)
    for setup_step in setup:
        for obstacle in setup_step.obstacles:
            if obstacle.spoils == "step":  # it is run with an empty text in place of the unknown value
                yield Obstacle(obstacle.place, f"set-up step “{setup_step.name}”: {obstacle.why}, so that is empty")
            else:
                yield obstacle
    yield from step.obstacles


def _services(job: WorkflowJob, script: Script | None) -> Iterator[Obstacle]:
    for service in job.services:
        if script is not None and is_lint(script):
            yield Obstacle(service.place, f"it is run without the service {service.product}", "aside")
        else:
            yield from _service(service, bool(job.container))


def _service(service: Service, in_container: bool) -> Iterator[Obstacle]:
    """Yield the obstacles of one service, or the differences of the server that replaces it."""
    kind = kind_of(service)
    if kind is None:
        why = f"it needs the service {service.product} ({service.image}), which Heal does not start"
        yield Obstacle(service.place, why, "step")
        return
    if not (servers := servers_of((service,), in_container)):
        why = f"no step can reach the service {service.product}: its port {kind.port} is not mapped"
        yield Obstacle(service.place, why, "aside")
        return
    installed = kind.find(service.version)
    if installed is None:
        yield Obstacle(service.place, missing(servers), "step")
    elif differs := difference(service, kind, installed):
        yield Obstacle(service.place, differs)
    for name in service.unknown:
        why = f"${{{{ {name} }}}} has no value here, so the service {service.product} is started without"
        yield Obstacle(service.place, why, "aside")
    for key in service.unlike:
        yield Obstacle(service.place, f"{key} of the service {service.product} is not honoured here")
