"""`heal demo`: the whole loop on this machine, with a GitHub on localhost."""

import typer

from bot.cli.shell import wait_for


def demo(once: bool = typer.Option(False, "--once", help="Run to the end, print what happened, and stop.")) -> int:
    """See the whole loop: a red pull request, verified suggestions, accept one, roll it back."""
    from bot.demo import run_demo

    return wait_for(run_demo(once))
