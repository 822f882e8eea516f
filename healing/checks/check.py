"""A check as a value: one step of CI as a command, with the steps before it as set-up (CK-1)."""

import shlex

from pydantic import Field

from healing.model import CIError, Frozen, content_id


class Script(Frozen):
    """One `run:` of a workflow: a shell script with its folder, environment and shell."""

    name: str
    run: str
    cwd: str = "."
    env: dict[str, str] = Field(default_factory=dict)
    shell: str = "bash"

    def text(self) -> str:
        """The script as bash text that first goes to its folder and sets its environment."""
        exports = [f"export {key}={shlex.quote(value)}" for key, value in sorted(self.env.items())]
        return "\n".join([*exports, f"cd {shlex.quote(self.cwd)}", self.run])


class Check(Frozen):
    """One failing (or guarding) step of CI. `key` names what is run, so that results are cached by (tree, key)."""

    workflow: str
    job: str
    step: Script
    setup: tuple[Script, ...] = ()

    @property
    def key(self) -> str:
        """Content id of everything that is executed."""
        return content_id([s.text() for s in (*self.setup, self.step)], self.step.shell)

    @property
    def title(self) -> str:
        """How people know it: `job / step`."""
        return f"{self.job} / {self.step.name}" if self.job else self.step.name


class CheckResult(Frozen):
    """What one run of a check on one tree gave. `exit_code` None: it did not end, `why` says at which limit.
    `problem` is not empty where it could not be looked at all (a set-up step failed): then nothing else counts."""

    check_key: str
    tree: str
    exit_code: int | None
    errors: tuple[CIError, ...] = ()
    output: str = ""
    seconds: float = 0.0
    why: str = ""
    problem: str = ""
    idle_setup: tuple[int, ...] = ()  # set-up steps that had nothing to do here

    @property
    def green(self) -> bool:
        """Whether it ran to its end and exited 0."""
        return not self.problem and self.exit_code == 0
