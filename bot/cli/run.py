"""`heal run`: runs the whole pipeline on a local clone. The working tree stays unchanged until `heal apply`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.check import checks_of, note_stored
from bot.cli.clone import checker_for, open_to_heal
from bot.cli.options import HERE, AsJson, Base, Commands, Fresh, Quiet, Where
from bot.cli.printing import outcome_lines, plural
from bot.cli.progress import Progress
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, CouldNotReproduce, put, put_json, wait_for
from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.laptop.clone import Code
    from bot.laptop.healed_clone import HealedClone
    from bot.laptop.wanted import LocalChecks, WantedChecks
    from healing.checks.check import Check
    from healing.checks.running import Checker
    from healing.model import Outcome
    from healing.view import TreeView

Log = Annotated[
    Path | None, typer.Option("--log", metavar="FILE", help="A CI log: the checks whose tools it names are run again.")
]


Overnight = Annotated[
    bool, typer.Option("--overnight", help="Ask for fixes in one batch first, at half the price; may take hours.")
]

Model = Annotated[
    str, typer.Option("--model", metavar="NAME", help="Ask this model, in this run, in place of HEAL_MODEL.")
]


def run(  # noqa: PLR0913, PLR0917 -- each is an option of the command
    path: Where = HERE,
    command: Commands = None,
    log: Log = None,
    base: Base = "",
    fresh: Fresh = False,
    overnight: Overnight = False,
    model: Model = "",
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> int:
    """Find and test fixes for the failing checks of this clone. Your files stay as they are until `heal apply`.

    Without --run: what `heal check` runs, and gofmt or cargo fmt where your change broke the formatting of files.

    Example: heal run --run "pytest -q"
    """
    from bot.laptop.wanted import WantedChecks

    if command and log:
        raise UserError("--run and --log exclude each other: name the failing command, or a log of it")
    data, wanted = _read(log) if log else None, WantedChecks(tuple(command or ()), verb="run")
    return wait_for(_run(path, wanted, data, RunOptions(fresh, overnight, base, model), Progress(quiet), as_json))


@dataclass(frozen=True)
class RunOptions:
    """The options of a run: run checks again, ask in batches first, the base, and the model."""

    fresh: bool
    overnight: bool
    base: str = ""
    model: str = ""


async def _run(
    path: Path, wanted: "WantedChecks", log: bytes | None, run_options: RunOptions, progress: Progress, as_json: bool
) -> int:
    with progress:
        async with open_to_heal(path, run_options.model, wanted.typed) as repo:
            code = await repo.code(run_options.base)
            found = checks_of(repo, code, wanted, progress)
            checks = _judged(found.checks, repo.view(code)) if log is None else of_tools(found.checks, log)
            checker = replace(await checker_for(repo, code, run_options.fresh), started=progress.started)
            if not wanted.commands and log is None:
                checks = await _with_conventions(repo, code, checks, checker, progress)
            overnight = run_options.overnight
            outcome = await repo.heal(code, repo.failure(code, checks, log), checker, progress.say, overnight)
            if wanted.commands and checks != found.checks and not (outcome.errors or outcome.not_looked):
                # Each command passes by itself; only what was typed says whether it does as a whole.
                checks = found.checks
                outcome = await repo.heal(code, repo.failure(code, checks), checker, progress.say, overnight)
            note_stored(repo, checks, progress)
            _note_dependencies(repo, code, checker, outcome, progress)
            outcome = await repo.with_unproven_checks(code, checks, checker, outcome)
    if as_json:
        put_json(outcome.model_dump(mode="json"))
    else:
        for line in outcome_lines(outcome, whole=not found.problems and not found.unknown):
            put(line)
    return _code(outcome, found, as_json)


def _judged(checks: "tuple[Check, ...]", view: "TreeView") -> "tuple[Check, ...]":
    """The checks, of `A && B` one for each command: as a whole B would seem to break once A is repaired."""
    from healing.checks.separating import separate

    return tuple(part for check in checks for part in (separate(check, view.read) if check.step.typed else (check,)))


def _note_dependencies(
    repo: "HealedClone", code: "Code", checker: "Checker", outcome: "Outcome", progress: Progress
) -> None:
    """Prints why the base commit doesn't decide what is new, where this change asks for other dependencies."""
    from healing.pipeline.trust import base_needs_other_dependencies

    before = repo.failure(code, ()).trees.before
    if outcome.errors and (file := base_needs_other_dependencies(checker, repo.git, before, code.tree)):
        progress.note(
            f"{file} asks for other versions than on the base commit, and your environment has only one of each, so "
            "every error counts as this change's, also where the base commit is red here"
        )


async def _with_conventions(
    repo: "HealedClone", code: "Code", checks: "tuple[Check, ...]", checker: "Checker", progress: Progress
) -> "tuple[Check, ...]":
    """The checks, and those of the language's conventions that this change broke, even if CI doesn't check them."""
    from healing.checks.conventions import broken_conventions, conventions

    failure = repo.failure(code, checks)
    before = failure.trees.merge_base
    if before is None:
        return checks
    known = conventions(repo.view(code), failure.changed_files, checks, repo.installed)
    broken = await broken_conventions(known, before, code.tree, checker)
    for check in broken:
        progress.note(f"no check asks for it, but it passed before this change: {check.title}")
    return (*checks, *broken)


def _code(outcome: "Outcome", found: "LocalChecks", as_json: bool) -> int:
    """The exit code. Raises CouldNotReproduce if nothing is known about the code, or nothing of some checks, and no
    error is left of the others. Its text has the reasons only for `as_json`, because people have read them above."""
    # `apply all` leaves out fixes that change tests or settings, so checks fail until somebody applies them by id.
    healed = outcome.verdict == "healed" and not any(proposal.touches for proposal in outcome.proposals)
    nothing_known = outcome.verdict == "could-not-look" or not outcome.errors
    titles = {check.title for check in found.checks}
    reasons = [one.sentence for one in outcome.not_looked if nothing_known or one.what in titles]
    if (reasons and healed) or ((reasons or found.problems) and nothing_known):
        known = (
            "it is not known whether your code is healthy"
            if nothing_known
            else "there are fixes only for what could be checked"
        )
        listed = reasons if as_json or not reasons else [f"{known}: {plural(len(reasons), 'reason')} above"]
        raise CouldNotReproduce("; ".join([*found.problems, *listed]))
    return EXIT_HEALTHY if healed or not outcome.errors else EXIT_ERRORS_LEFT


def _read(log: Path) -> bytes:
    """The log's content. Raises UserError if it can't be read, CouldNotReproduce if it is no log."""
    from healing.logs.reading import read_log

    try:
        data = log.read_bytes()
    except OSError as error:
        raise UserError(f"{log} can't be read: {error.strerror}") from error
    report = read_log(data)
    if not report.could_look:
        raise CouldNotReproduce(f"{log}: {report.problem}. Give the job's whole log as text, or --run CMD")
    return data


def of_tools(checks: "tuple[Check, ...]", log: bytes) -> "tuple[Check, ...]":
    """The checks whose command names a tool that reported errors in the log; all checks if none does."""
    from healing.logs.reading import read_log

    tools = {error.tool for error in read_log(log).errors}
    named = tuple(c for c in checks if any(tool in c.step.run for tool in tools))
    return named or checks
