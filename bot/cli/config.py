"""`heal config check` and `heal config schema`: validates `.github/heal.yml` and checks whether CI can be
reproduced."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.clone import checker_for, open_clone
from bot.cli.helping import group
from bot.cli.options import HERE, AsJson, Quiet
from bot.cli.progress import Progress
from bot.cli.shell import EXIT_HEALTHY, EXIT_USAGE, put, put_json, wait_for
from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.repo_config import ReadConfig
    from bot.runs.models import Models
    from healing.checks.survey import SurveyedJob
    from healing.view import TreeView

config = group("Check whether Heal can reproduce this repository's CI, and what .github/heal.yml may contain.")

Place = Annotated[Path, typer.Argument(metavar="PATH", help="A clone, or a heal.yml alone.", show_default=False)]
NoRun = Annotated[bool, typer.Option("--no-run", help="Read the files only; run nothing.")]


@config.command()
def check(path: Place = HERE, no_run: NoRun = False, quiet: Quiet = False, as_json: AsJson = False) -> int:
    """Run this clone's CI jobs in the sandbox and report for each whether Heal can reproduce it, or why not.

    First its .github/heal.yml is checked: errors are printed with their line, and the exit code is 2. Then it prints
    what Heal would do here. A job may take its `timeout-minutes`, else 30 minutes. Exit code 0: all jobs are
    reproducible; 1: a check fails here; 3: a job could not be run.

    Example: heal config check --no-run
    """
    if not path.is_dir():
        return _print_file(str(path), _read(path), as_json)
    return wait_for(_check(path, Progress(quiet), no_run, as_json))


@config.command()
def schema() -> int:
    """Print the JSON Schema of .github/heal.yml, for editors.

    Example: heal config schema > heal.schema.json
    """
    from bot.repo_config import json_schema

    put_json(json_schema())
    return EXIT_HEALTHY


async def _check(path: Path, progress: Progress, no_run: bool, as_json: bool) -> int:
    from bot.cli.reproducing import print_trial
    from bot.repo_config import CONFIG_PATH, read_repo_config
    from healing.checks.own_environment import NOTE, OwnEnvironment
    from healing.checks.trial import Survey

    with progress:
        async with open_clone(path) as repo:
            code = await repo.code()
            view = repo.view(code)
            data = view.read(CONFIG_PATH)
            read = read_repo_config(data).with_files(view.read)
            with progress.aside():
                code_of_file = _print_file(CONFIG_PATH, read, as_json, exists=data is not None)
            if code_of_file != EXIT_HEALTHY:
                return code_of_file
            jobs = _jobs(view, read)
            with progress.aside():
                _print_preview(read, view, jobs, repo.engine.models, as_json)
            if not no_run:
                await progress.say("Preparing the sandbox")
            # Stored results are not used, because the question is about this machine as it is now.
            checker = None if no_run else await checker_for(repo, code, fresh=True)
            trial = Survey(jobs, checker, code.tree, progress.say, OwnEnvironment(view, repo.installed))
            if checker and trial.installs:
                progress.note(NOTE)
            await trial.run()
    return print_trial(trial, as_json)


def _print_preview(
    read: "ReadConfig", view: "TreeView", jobs: "tuple[SurveyedJob, ...]", models: "Models", as_json: bool
) -> None:
    """Prints what Heal would do in this repository."""
    from bot.laptop.preview import preview

    commands = tuple(one.check.step.run for job in jobs for one in job.checks)
    would = preview(read.config, view, commands, models)
    if as_json:
        put_json({"would": vars(would)})
        return
    put("Heal would")
    for line in would.lines():
        put(f"  {line}")


def _jobs(view: "TreeView", read: "ReadConfig") -> "tuple[SurveyedJob, ...]":
    """The repository's checks: those in heal.yml, else the jobs of the workflow files, and commands that are usual for
    such a repository if no job checks anything."""
    from bot.repo_config import CONFIG_PATH
    from healing.checks.check import command_check
    from healing.checks.survey import named, survey
    from healing.checks.usual import usual_commands

    if read.checks():
        return tuple(named(CONFIG_PATH, read.checks()))
    jobs = tuple(survey(view))
    if any(job.checks or job.reasons for job in jobs):
        return jobs
    usual = ((one.file, (command_check(one.command),)) for one in usual_commands(view))
    return (*jobs, *(job for file, checks in usual for job in named(file, checks)))


def _read(file: Path) -> "ReadConfig":
    from bot.repo_config import read_repo_config

    try:
        return read_repo_config(file.read_bytes())
    except OSError as error:
        raise UserError(f"{file} can't be read: {error.strerror}") from error


def _print_file(name: str, read: "ReadConfig", as_json: bool, exists: bool = True) -> int:
    """Prints whether the file is valid. Returns the exit code."""
    problems = read.problems
    if as_json:
        listed = [{"line": p.line, "column": p.column, "reason": p.reason} for p in problems]
        put_json({"file": name, "ok": not problems, "problems": listed})
    elif not exists:
        put(f"no {name}: defaults apply")
    else:
        for problem in problems:
            put(f"{name}:{problem.line}:{problem.column}: {problem.reason}")
        put("until this is fixed the defaults apply; all keys: docs/config.md" if problems else f"{name} is valid")
    return EXIT_USAGE if problems else EXIT_HEALTHY
