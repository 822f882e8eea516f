"""`heal demo`: shows everything from a failing pull request to a reverted fix, with a local stand-in for GitHub."""

from typing import Annotated

import typer

from bot.cli.shell import wait_for


def demo(
    once: Annotated[bool, typer.Option("--once", help="Run to the end, print what happened, stop.")] = False,
) -> int:
    """Try the whole loop on this machine: a failing pull request, tested suggestions, accept one, revert it.

    Example: heal demo --once
    """
    from lab.demo.stage import Demo

    stage = Demo()
    return wait_for(stage.run(once), stage.remove)
