"""`heal check`: run what CI runs, here in the sandbox, and print the errors."""

from pathlib import Path

import typer

from bot.cli.printing import error_line
from bot.cli.shell import (
    EXIT_ERRORS_LEFT,
    EXIT_HEALTHY,
    JSON_OPTION,
    CouldNotLook,
    print_json,
    say,
    wait_for,
)


def check(
    path: Path = typer.Argument(Path(), help="A clone."),
    run: str = typer.Option("", "--run", metavar="CMD", help="Run this command instead of the workflows' checks."),
    as_json: bool = JSON_OPTION,
) -> int:
    """Run the repository's workflow checks (or one command) on the working tree and print the errors.

    Example: heal check --run "pytest -q"
    """
    return wait_for(_check(path, run, as_json))


async def _check(path: Path, run: str, as_json: bool) -> int:
    from bot.local import local_repo
    from bot.settings import read_settings

    async with local_repo(path, read_settings()) as repo:
        checks = named_checks(repo.view(), run)
        await repo.engine.need_sandbox()
        checker = await repo.engine.checker(repo.run_id, repo.git, repo.steps())
        assert checker is not None
        red, problems = 0, []
        for one in checks:
            await say(one.title)
            result = await checker.run(one, repo.tree)
            if result.problem or result.exit_code is None:
                problems.append(f"{one.title}: {result.problem or result.why}")
            red += result.exit_code not in (0, None) and not result.problem
            for error in result.errors:
                print_json(error.model_dump(mode="json")) if as_json else print(error_line(error))
            if not as_json:
                print(f"{'ok ' if result.green else 'red'} {one.title} (exit {result.exit_code}, {result.seconds} s)")
    if problems:
        raise CouldNotLook("; ".join(problems))
    return EXIT_ERRORS_LEFT if red else EXIT_HEALTHY


def named_checks(view, run: str):  # type: ignore[no-untyped-def]
    """The command's check, or those of the workflow files. Raises CouldNotLook where there is none."""
    from bot.local import workflow_checks
    from healing.checks.finding import command_check

    if run:
        return (command_check(run),)
    checks, problems = workflow_checks(view)
    if not checks:
        raise CouldNotLook("; ".join(problems) or "no workflow file names a check; name a command: --run CMD")
    return checks
