"""The command line: one file for each command, registered here. Slow imports are inside the commands' functions."""

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from bot import __version__
from bot.cli import (
    agents,
    apply,
    check,
    clean,
    config,
    demo,
    doctor,
    explain,
    export,
    extract,
    flakes,
    migrate,
    plan,
    proposals,
    queue,
    reject,
    replay,
    review,
    rollback,
    run,
    serve,
    stop,
    unfixable,
    worker,
)
from bot.cli.helping import ENDING, group
from bot.cli.personal import personal_settings
from bot.cli.shell import run_app

PURPOSE = "Repairs failed CI: every fix is tested before it is offered, and a person decides."
SERVICES = frozenset({"serve", "worker"})  # run by an operator, with settings from the environment only
app = group(PURPOSE, ENDING, "heal")

for command in (
    demo.demo,
    serve.serve,
    worker.worker,
    stop.stop,
    stop.go,
    check.check,
    extract.extract,
    plan.plan,
    agents.agents,
    run.run,
    review.review,
    proposals.list_,
    proposals.show,
    apply.apply,
    reject.reject,
    explain.explain,
    rollback.rollback,
    unfixable.unfixable,
    flakes.flakes,
    export.export,
    replay.replay,
    clean.clean,
    doctor.doctor,
    migrate.migrate,
):
    app.command(name=command.__name__.rstrip("_"))(command)

app.add_typer(config.config, name="config")
app.add_typer(queue.queue, name="queue")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"heal {__version__}")
        raise typer.Exit


@app.callback(help=PURPOSE, epilog=ENDING)
def _options(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 -- its callback ends the command
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Applies a person's own settings, except for services."""
    if context.invoked_subcommand not in SERVICES:
        os.environ.update(personal_settings(os.environ))


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code."""
    return run_app(app, argv)


__all__ = ["app", "main"]
