"""Which checks a person selected on the command line, and the checks that were found."""

from dataclasses import dataclass

from healing.checks.check import Check


@dataclass(frozen=True)
class WantedChecks:
    """What a person selected: a command, or workflow steps by name (`*` matches anything; empty: all). `step` may be a
    step's 1-based number in its job; `matrix` has values of a job's matrix combination. `verb` is the command that was
    typed, for lines that name it."""

    command: str = ""
    workflow: str = ""
    job: str = ""
    step: str = ""
    matrix: tuple[tuple[str, str], ...] = ()
    verb: str = "check"

    @property
    def of_workflows(self) -> bool:
        """Whether steps of workflow files were selected."""
        return bool(self.workflow or self.job or self.step or self.matrix)

    def options(self) -> str:
        """Returns the selection as command-line options."""
        named = [(name, str(getattr(self, name))) for name in ("workflow", "job", "step")]
        named += [("matrix", f"{key}={value}") for key, value in self.matrix]
        return " ".join(f"--{name} {value}" for name, value in named if value)


@dataclass(frozen=True)
class LocalChecks:
    """The checks that can be run. `problems` say which checks can't be run, `notes` how checks differ from CI."""

    checks: tuple[Check, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
