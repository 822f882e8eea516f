"""`heal explain`: shows the role of files in the test of a fix."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.check import checks_of
from bot.cli.clone import open_for_checks
from bot.cli.options import HERE, AsJson, Clone, Commands
from bot.cli.progress import Progress
from bot.cli.shell import EXIT_HEALTHY, put, put_json, wait_for
from handlers.errors import UserError

Files = Annotated[list[str], typer.Argument(metavar="FILE…", help="Files of the clone, from its root.")]


def explain(files: Files, run: Commands = None, repo: Clone = HERE, as_json: AsJson = False) -> int:
    """Show what Heal takes files for when it tests a fix (product, tests, judge, test data, docs, generated), and why.

    A fix has to make the failing check pass by changing the product alone; a judge is what decides whether it passes.

    Example: heal explain Makefile tests/conftest.py --run "make test"
    """
    return wait_for(_explain(files, tuple(run or ()), repo, as_json))


async def _explain(files: list[str], run: tuple[str, ...], path: Path, as_json: bool) -> int:
    from bot.laptop.wanted import WantedChecks
    from healing.verify.roles import Roles

    async with open_for_checks(path) as repo:
        code = await repo.code()
        view = repo.git.view(code.tree)
        with Progress(quiet=True) as progress:
            found = checks_of(repo, code, WantedChecks(run, verb="explain"), progress)
        roles = Roles.of_checks(found.checks, view)
        for file in files:
            if view.mode(file) is None:
                raise UserError(f"{file} is not in this clone, or git ignores it: name it from the clone's root")
            judged = roles.of(file)
            if as_json:
                put_json({"file": file, "role": judged.role.value, "why": judged.why})
            else:
                put(f"{file}  {judged}")
    return EXIT_HEALTHY
