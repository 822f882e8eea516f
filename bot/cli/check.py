"""`heal check`: runs the commands of CI in the sandbox and prints the errors."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.clone import checker_for, open_for_checks
from bot.cli.options import HERE, AsJson, Commands, Fresh, InJob, InMatrix, InStep, InWorkflow, Quiet, Where
from bot.cli.printing import age, as_typed, error_line, not_checked_line, tail
from bot.cli.progress import Progress
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, CouldNotReproduce, put, put_json, wait_for
from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.laptop.clone import Code, OpenClone
    from bot.laptop.wanted import LocalChecks, WantedChecks
    from healing.checks.check import Check, CheckResult
    from healing.view import TreeView


def check(  # noqa: PLR0913, PLR0917  (one parameter an option)
    path: Where = HERE,
    run: Commands = None,
    workflow: InWorkflow = "",
    job: InJob = "",
    step: InStep = "",
    matrix: InMatrix = None,
    fresh: Fresh = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> int:
    """Run the checks of this clone (or one command) on its files as they are, and print the errors.

    Which checks: --run CMD, else `checks:` of .github/heal.yml, else the steps of the workflow files, else
    what is usual here (tox, npm test, go test, cargo test, …).

    Example: heal check --workflow ci.yml --job test --matrix python=3.12 --step Pytest
    """
    from bot.laptop.wanted import WantedChecks

    wanted = WantedChecks(tuple(run or ()), workflow, job, step, cells_of(matrix or []))
    if run and wanted.of_workflows:
        raise UserError("--run takes the place of what the workflows run: give it without --workflow, --job, --step")
    return wait_for(_check(path, wanted, CheckAnswer(as_json, quiet), fresh))


def cells_of(words: list[str]) -> tuple[tuple[str, str], ...]:
    """`KEY=VALUE` words as pairs. Raises UserError for any other word."""
    for word in words:
        if not word.partition("=")[0] or "=" not in word:
            raise UserError(f"--matrix {word} names no value: write --matrix KEY=VALUE, as in --matrix python=3.12")
    return tuple((key, value) for key, _, value in (word.partition("=") for word in words))


@dataclass
class CheckAnswer:
    """Prints the results of checks and determines the exit code."""

    as_json: bool
    quiet: bool
    red: int = 0
    problems: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)
    printed: set[str] = field(default_factory=set)

    def print_result(self, check: "Check", result: "CheckResult", stored: str) -> None:
        """Prints one check's errors and result; `stored` is a text about the age of a stored result, or empty."""
        from healing.checks.unreadable import with_an_error
        from healing.model import NotChecked
        from healing.sandbox.job import Limits

        if why := result.not_run:
            reason = NotChecked(what=check.title, why=why, advice=result.advice)
            self.not_run.append(not_checked_line(reason, "check"))
        for error in () if why else with_an_error(check, result).errors:
            if error.id not in self.printed:
                self.printed.add(error.id)
                put_json(error.model_dump(mode="json")) if self.as_json else put(error_line(error))
        self.red += not why and not result.green
        if not self.as_json:
            ended = why or f"exit code {result.exit_code} after {result.seconds:.1f} s{stored}"
            name = "ok  " if result.green else "???  " if why else "red "
            put(f"{name} {check.title}: {ended}", "32" if result.green else "33" if why else "31")
            if not result.green and (result.output.strip() if why else not result.errors):
                for line in tail(result.output):
                    put(line)
            if result.partly_read:
                read = Limits().output_bytes >> 20
                put(f"     | it prints more than the {read} MB that are read: there may be more errors")
            if why and result.advice:
                put(f"     try: {as_typed(result.advice, 'check')}")

    def code(self) -> int:
        """The exit code. Raises CouldNotReproduce if no check failed, but not all could be run."""
        if self.red:
            return EXIT_ERRORS_LEFT
        if self.problems or self.not_run:
            raise CouldNotReproduce(self.left_out())
        return EXIT_HEALTHY

    def left_out(self) -> str:
        """What could not be checked: all of it with --json, else only what was not printed with its check."""
        if self.as_json or not self.not_run:
            return "; ".join([*self.problems, *self.not_run])
        count = len(self.not_run)
        checks = "a check" if count == 1 else f"{count} checks"
        return "; ".join([*self.problems, f"{checks} could not be run here (marked ???)"])


async def _check(path: Path, wanted: "WantedChecks", answer: CheckAnswer, fresh: bool) -> int:
    import asyncio

    with Progress(answer.quiet) as progress:
        async with open_for_checks(path, wanted.typed) as repo:
            code = await repo.code()
            found = checks_of(repo, code, wanted, progress)
            answer.problems += found.problems
            await progress.say("Preparing the sandbox")
            checker = await checker_for(repo, code, fresh)
            await progress.say("Running " + ", ".join(c.title for c in found.checks))
            running = [asyncio.ensure_future(checker.run(one, code.tree)) for one in found.checks]
            try:
                for number, (one, result) in enumerate(zip(found.checks, running, strict=True)):
                    progress.reached(number, len(running))
                    done = await repo.proven(one, await result, checker, code)
                    with progress.aside():
                        answer.print_result(one, done, _stored(repo, one))
            finally:
                for result in running:
                    result.cancel()
                await asyncio.gather(*running, return_exceptions=True)
            if answer.as_json:
                note_stored(repo, found.checks, progress)
    if answer.red and (answer.problems or answer.not_run) and not answer.quiet:
        progress.note("couldn't check everything: " + answer.left_out())
    return answer.code()


def checks_of(repo: "OpenClone", code: "Code", wanted: "WantedChecks", progress: Progress) -> "LocalChecks":
    """The requested checks; prints notes where they differ from CI's. Raises CouldNotReproduce if there is none."""
    found = _find_checks(repo, code.tree, wanted)
    for note in (*repo.notes, *code.notes, *found.notes):
        progress.note(note)
    if not found.checks:
        raise CouldNotReproduce("; ".join(found.problems))
    return found


def _find_checks(repo: "OpenClone", tree: str, wanted: "WantedChecks") -> "LocalChecks":
    view = repo.git.view(tree)
    if wanted.commands:
        from bot.laptop.wanted import LocalChecks
        from healing.checks.check import command_check

        if repo.folder != "." and not any(path.startswith(f"{repo.folder}/") for path in view.paths()):
            raise UserError(f"git ignores {repo.folder}/, or it is empty: run Heal in a folder with files of the clone")
        # As at a prompt, a command runs in the folder where it was typed.
        typed = dict.fromkeys(wanted.commands)
        checks = tuple(command_check(command, repo.folder, typed=True) for command in typed)
        return LocalChecks(checks, notes=_warnings_of_config(view))
    from bot.laptop.local_checks import local_checks  # reading workflows is slow to load

    return local_checks(view, wanted, repo.installed)


def _warnings_of_config(view: "TreeView") -> tuple[str, ...]:
    """The problems of `.github/heal.yml`. Its reader is slow to load, so it is loaded only if the file exists."""
    from healing.checks.rules import CONFIG_PATH

    data = view.read(CONFIG_PATH)
    if data is None:
        return ()
    from bot.repo_config import read_repo_config

    return read_repo_config(data).warnings(view.read)


def note_stored(repo: "OpenClone", checks: "tuple[Check, ...]", progress: Progress) -> None:
    """Prints how old the results are that were stored for the same code."""
    made_at = [at for check in checks if (at := repo.stored.made_at.get(check.key)) is not None]
    if made_at:
        oldest = age(repo.now() - min(made_at))
        which = f"{len(made_at)} of {len(checks)} results" if len(checks) > 1 else "the result"
        progress.note(f"{which} stored for this very code, up to {oldest} old; --fresh runs the checks again")


def _stored(repo: "OpenClone", check: "Check") -> str:
    made_at = repo.stored.made_at.get(check.key)
    return "" if made_at is None else f" (stored {age(repo.now() - made_at)} ago; --fresh runs it again)"
