"""Which checks a person selected on the command line, and the checks that were found."""

from dataclasses import dataclass

from handlers.errors import UserError
from healing.checks.check import Check


@dataclass(frozen=True)
class WantedChecks:
    """What a person selected: commands, or workflow steps by name (`*` matches anything; empty: all). `step` may be a
    step's 1-based number in its job; `matrix` has values of a job's matrix combination. `verb` is the command that was
    typed, for lines that name it."""

    commands: tuple[str, ...] = ()
    workflow: str = ""
    job: str = ""
    step: str = ""
    matrix: tuple[tuple[str, str], ...] = ()
    verb: str = "check"

    def __post_init__(self) -> None:
        if any(not command.strip() for command in self.commands):
            raise UserError("--run is given no command: write --run CMD, or leave it out to run what CI runs")

    @property
    def typed(self) -> str:
        """The commands as one text; empty where none was typed."""
        return "\n".join(self.commands)

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
    """The checks that can be run. `problems` say which checks can't be run, `notes` how checks differ from CI;
    `unknown`: some steps are not run because Heal doesn't know whether they check anything."""

    checks: tuple[Check, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unknown: bool = False
