"""The validation pipeline: tests, then lint, then types, as configured commands in the sandbox."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from healing.checks.check import Check, CheckResult, command_check
from healing.checks.unreadable import with_an_error
from healing.verify.queue.session import StageName, ValidationRun

ORDER: tuple[StageName, ...] = ("tests", "lint", "types")
KEPT_OUTPUT = 4000  # characters

RunCheck = Callable[[Check, str], Awaitable[CheckResult]]  # a check on a tree, in the sandbox


@dataclass(frozen=True)
class Stage:
    """One command of the pipeline. `files`: patterns of paths that affect it (`*` matches `/` too); empty: all do."""

    name: StageName
    command: str
    files: tuple[str, ...] = ()

    def affected_by(self, paths: Iterable[str]) -> bool:
        """Whether a change of these paths may change its result."""
        return not self.files or any(fnmatchcase(path, pattern) for path in paths for pattern in self.files)


@dataclass(frozen=True)
class Validation:
    """The pipeline: its stages, and the function that runs their checks. `fail_fast`: the first red stage ends it."""

    stages: tuple[Stage, ...]
    run_check: RunCheck
    fail_fast: bool = True

    async def run(self, tree: str, paths: Iterable[str] | None = None) -> tuple[ValidationRun, ...]:
        """Runs all stages, or those that a change of `paths` affects, on a tree."""
        ran: list[ValidationRun] = []
        known = None if paths is None else tuple(paths)
        for stage in sorted(self.stages, key=lambda stage: ORDER.index(stage.name)):
            if known is not None and not stage.affected_by(known):
                continue
            ran.append(await self._run(stage, tree))
            if self.fail_fast and not ran[-1].green:
                break
        return tuple(ran)

    async def _run(self, stage: Stage, tree: str) -> ValidationRun:
        check = command_check(stage.command)
        result = await self.run_check(check, tree)
        why = result.problem or (result.why or "it did not end" if result.exit_code is None else "")
        return ValidationRun(
            stage=stage.name,
            command=stage.command,
            exit_code=result.exit_code,
            why=why,
            output=result.output[-KEPT_OUTPUT:],
            errors=() if why else with_an_error(check, result).errors,
        )
