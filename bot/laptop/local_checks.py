"""Finds the checks of a clone: those of `.github/heal.yml`, else the steps of its workflow files."""

import platform
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import PurePosixPath

from bot.laptop.wanted import LocalChecks, WantedChecks
from bot.repo_config import CONFIG_PATH, read_repo_config
from healing.checks.check import Check, command_check
from healing.checks.expressions import text
from healing.checks.job import Step, Workflow, WorkflowJob
from healing.checks.launchers import Installed
from healing.checks.own_environment import NOTE, OwnEnvironment, any_installs
from healing.checks.recognising import is_check, may_check
from healing.checks.reproducing import reproduce
from healing.checks.separating import separate
from healing.checks.usual import MAKERS, usual_commands
from healing.checks.workflow import WorkflowError, parse_workflow
from healing.model import content_id
from healing.view import TreeView

WORKFLOWS = ".github/workflows/"
WAYS = f"name a command: heal {{verb}} --run CMD, or `checks:` in {CONFIG_PATH}"
MAX_NAMES = 4
MACHINE = ".".join(platform.python_version_tuple()[:2])
OTHER_VERSION = re.compile(r"CI has (\S{1,40}) (\S{1,60}), and Heal (.{1,200}?)(?: \([^()]{1,300}\))?\Z")
VERSION = re.compile(r"(?:py|pypy|cpython|python|node|go|v)?-?\d{1,3}(?:\.(?:\d{1,4}|x)){0,3}(?:-dev|t)?\Z")


def local_checks(view: TreeView, wanted: WantedChecks, installed: Installed = lambda _: True) -> LocalChecks:
    """Returns the checks of `.github/heal.yml`, or else of the workflow files, adapted to the person's own environment,
    which has the `installed` programs: set-up steps that install are left out. The working tree's own
    `.github/heal.yml` is used here, as it is the person's machine."""
    own = OwnEnvironment(view, installed)
    config = read_repo_config(view.read(CONFIG_PATH))
    notes = config.warnings(view.read)
    collector = _Collector(view, wanted, own)
    if config.checks() and not wanted.of_workflows:
        for check in config.checks():
            collector.parts(check)
        return LocalChecks(tuple(collector.checks.values()), notes=(*notes, *collector.installing()))
    result = collector.found()
    return replace(result, notes=(*notes, *result.notes))


@dataclass
class _Collector:
    """Collects checks from the workflow files; what several jobs have in common is reported once."""

    view: TreeView
    wanted: WantedChecks
    own: OwnEnvironment
    checks: dict[str, Check] = field(default_factory=dict)
    as_in_ci: list[Check] = field(default_factory=list)
    of_no_job: list[str] = field(default_factory=list)
    problems: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    unknown: bool = False
    seen: dict[str, None] = field(default_factory=dict)

    def found(self) -> LocalChecks:
        for workflow in self.workflows():
            for job in workflow.jobs:
                self.seen.setdefault(job.name)
                if _fits_job(self.wanted, workflow, job):
                    self.job(workflow, job)
        nothing_runs = not self.checks
        if not self.wanted.of_workflows:
            self.pre_commit()
            if nothing_runs:
                self.usual()
        problems = (*self.of_no_job, *_lines(self.problems))
        if not self.checks and not problems:
            problems = (self.nothing(),)
        notes = _lines(_versions_together(self.notes))
        return LocalChecks(tuple(self.checks.values()), problems, (*notes, *self.installing()), self.unknown)

    def workflows(self) -> Iterator[Workflow]:
        for path in self.view.paths():
            if path.startswith(WORKFLOWS) and path.endswith((".yml", ".yaml")):
                try:
                    yield parse_workflow(path, self.view.read(path) or b"", self.view.read)
                except WorkflowError as error:
                    self.of_no_job.append(str(error))

    def job(self, workflow: Workflow, job: WorkflowJob) -> None:
        """Adds the checks of one job, or why it has none."""
        steps = [step for step in job.scripts() if _fits_step(self.wanted, step)]
        if job.reached is False:
            if steps:
                self.note(f"its `if:` does not hold here ({job.place})", job.name)
            return
        twin = workflow.twin(job)
        if twin is not None and _fits_job(self.wanted, workflow, twin):
            self.note(f"it runs on {job.elsewhere}: the same job on Linux is run in its place ({job.place})", job.name)
            return
        obstacles = [o for o in job.obstacles if o.fatal] if not job.scripts() and not self.wanted.step else []
        obstacles += [o for s in job.steps if not list(s.scripts()) for o in s.obstacles if o.fatal and not steps]
        for obstacle in obstacles:
            self.problem(str(obstacle), job.name)
        if not steps and not obstacles and not self.wanted.step:
            self.note("nothing in it that Heal knows as a check, so it is not run", job.name)
        for step in steps:
            self.step(workflow, job, step)
        for step in job.scripts() if steps and not self.wanted.step else ():
            if may_check(step.script):
                self.unknown = True
                self.note(
                    f"not run, for Heal doesn't know whether it checks anything; {WAYS.format(verb=self.wanted.verb)}",
                    f"{job.name} / {step.name}",
                )

    def step(self, workflow: Workflow, job: WorkflowJob, step: Step) -> None:
        title = f"{job.name} / {step.name}"
        if step.reached is False:
            self.note(f"its `if:` does not hold here ({step.place})", title)
            return
        if step.tolerant and not self.wanted.step:
            self.note(f"CI continues when it fails (continue-on-error), so it is not run ({step.place})", title)
            return
        reproduced = reproduce(workflow, job, step)
        for obstacle in reproduced.blockers:
            self.problem(str(obstacle), job.name if obstacle in job.obstacles else title)
        for obstacle in reproduced.notes:
            own = obstacle in step.obstacles
            self.note(str(obstacle), title if own else job.name)
        for check in () if reproduced.blockers else separate(reproduced.check, self.view.read):
            self.parts(check, tuple(map(text, job.matrix.values())))

    def pre_commit(self) -> None:
        """Adds the pre-commit hooks, which check every commit, and with pre-commit.ci every pull request."""
        checks, missing = self.own.hooks()
        for check in checks:
            self.parts(check)
        if missing:
            self.note(f"not run here, their tools are not in your environment: {', '.join(missing)}", "pre-commit")

    def usual(self) -> None:
        """Adds the commands that developers usually run for such a repository, if no file defines checks, or none of
        the defined ones runs here. If they pass, that doesn't prove that CI is green."""
        own = replace(self.own, installed=lambda program: program not in MAKERS and self.own.installed(program))
        candidates = usual_commands(self.view)
        here = [usual for usual in candidates if not usual.optional or own.installed(usual.command.split()[0])]
        for usual in here:
            self.parts(command_check(usual.command), own=own)
        if here:
            commands = ", ".join(f"`{usual.command}` ({usual.file})" for usual in here)
            elsewhere = bool(self.problems or self.of_no_job)
            why = "nothing of its workflows runs here" if elsewhere else "no workflow file says what judges it"
            self.note(f"{why}, so what is usual is run: {commands}", "this repository")
            if not elsewhere:
                ways = WAYS.format(verb=self.wanted.verb)
                self.of_no_job.append(
                    f"no file says what judges this repository: more may be red than what was run; {ways}"
                )

    def parts(self, check: Check, versions: tuple[str, ...] = (), own: OwnEnvironment | None = None) -> None:
        """Adds the parts of a check that can run here. Matrix combinations that differ only in a version are merged, as
        there is only one environment; the one with this machine's Python version is preferred."""
        self.as_in_ci.append(check)
        parts = (own or self.own).parts(check)
        if not parts:
            self.note("it runs nothing that Heal knows as a check, so it is not run", check.title)
        for part in parts:
            if part.lacks:
                self.problem(part.lacks, part.check.title)
            else:
                self.one_of_many(part.check, MACHINE in versions)

    def one_of_many(self, check: Check, fits: bool) -> None:
        """Adds a check once for all combinations that differ only in versions; it may run with any of them."""
        key = _without_versions(check)
        known = self.checks.get(key)
        runtimes = dict.fromkeys((*(known.runtimes if known else ()), *check.runtimes))
        chosen = check if known is None or fits else known
        self.checks[key] = chosen.model_copy(update={"runtimes": tuple(runtimes)})

    def installing(self) -> tuple[str, ...]:
        """Returns a note that nothing is installed, if CI would install something."""
        return (NOTE,) if any_installs(self.as_in_ci) else ()

    def problem(self, why: str, name: str) -> None:
        self.problems.setdefault(why, []).append(name)

    def note(self, why: str, name: str) -> None:
        self.notes.setdefault(why, []).append(name)

    def nothing(self) -> str:
        """Returns why no step matches, and what would."""
        options = self.wanted.options()
        fits = f" fits {options}" if options else " is a check that Heal knows"
        jobs = f"; jobs are: {_names(self.seen)}" if options and self.seen else ""
        return f"no step of the workflow files{fits}{jobs}; {WAYS.format(verb=self.wanted.verb)}"


def _without_versions(check: Check) -> str:
    """Returns a key of what a check runs, ignoring versions in its environment variables."""
    scripts = [check.step, *check.setup]
    plain = [{name: value for name, value in script.env.items() if not VERSION.match(value)} for script in scripts]
    texts = [script.model_copy(update={"env": env}).text() for script, env in zip(scripts, plain, strict=True)]
    return content_id(check.step.shell, *texts, *(server.model_dump(mode="json") for server in check.servers))


def _versions_together(notes: dict[str, list[str]]) -> dict[str, list[str]]:
    """Merges the notes about versions of a language that CI has and this machine hasn't into one per language."""
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for why, names in notes.items():
        match = OTHER_VERSION.match(why)
        language, version, here = match.groups() if match else ("", why, "")
        groups.setdefault((language, here) if match else ("", why), {}).setdefault(version, []).extend(names)
    return {
        f"CI has {language} {_names(versions)}, and Heal {key}" if language else key: list(
            chain.from_iterable(versions.values())
        )
        for (language, key), versions in groups.items()
    }


def _lines(found: dict[str, list[str]]) -> Iterator[str]:
    return (f"{_names(dict.fromkeys(names))}: {why}" for why, names in found.items())


def _names(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - MAX_NAMES} more" if len(every) > MAX_NAMES else ""
    return ", ".join(every[:MAX_NAMES]) + more


def _fits_job(wanted: WantedChecks, workflow: Workflow, job: WorkflowJob) -> bool:
    """Whether a job is selected. A workflow is named by its name, path or file name; a job by name or id."""
    path = PurePosixPath(workflow.path)
    return (
        _named(wanted.workflow.removeprefix("./"), workflow.name, workflow.path, path.name, path.stem)
        and _named(wanted.job, job.name, job.id, f"{workflow.name} / {job.name}")
        and all(key in job.matrix and text(job.matrix[key]) == value for key, value in wanted.matrix)
    )


def _fits_step(wanted: WantedChecks, step: Step) -> bool:
    """Whether a step of a selected job is selected: any step by its name or number, otherwise steps that are checks."""
    if not wanted.step:
        return is_check(step.script)
    names = (step.name, step.name.removeprefix("Run "), step.shown, step.shown.removeprefix("Run "))
    return wanted.step == str(step.number) or _named(wanted.step, *names)


def _named(wanted: str, *names: str) -> bool:
    return not wanted or any(wanted == name or fnmatchcase(name.lower(), wanted.lower()) for name in names)
