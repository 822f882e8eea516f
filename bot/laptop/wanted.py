"""Which checks a person asked for on the command line, and what was found."""

from dataclasses import dataclass

from healing.checks.check import Check


@dataclass(frozen=True)
class WantedChecks:
    """What a person asked for: a command, or workflow steps by name (`*` matches anything; empty: all). `step` may be
    a step's 1-based number in its job; `matrix` names values of a job's combination."""

    command: str = ""
    workflow: str = ""
    job: str = ""
    step: str = ""
    matrix: tuple[tuple[str, str], ...] = ()

    @property
    def of_workflows(self) -> bool:
        """Whether steps of workflow files were named."""
        return bool(self.workflow or self.job or self.step or self.matrix)

    def options(self) -> str:
        """As it stands on the command line."""
        named = [(name, str(getattr(self, name))) for name in ("workflow", "job", "step")]
        named += [("matrix", f"{key}={value}") for key, value in self.matrix]
        return " ".join(f"--{name} {value}" for name, value in named if value)


@dataclass(frozen=True)
class LocalChecks:
    """What can be run; `problems` could not be looked at, `notes` are run, but not quite as CI does."""

    checks: tuple[Check, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
