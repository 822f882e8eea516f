"""A check: one step of CI as a command, with the steps before it as its set-up."""

import re
import shlex
from collections.abc import Iterable

from pydantic import Field

from healing.checks.services.service import Server
from healing.model import CIError, Frozen, content_id
from healing.testruns.report import RunReport

WORKSPACE = "@HEAL-WORKSPACE@"  # stands for the worktree's path, which is known only when the check runs
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}\Z")
ON_A_FILE = {"sh": "sh -e {0}", "python": "python {0}"}  # docs.github.com, `jobs.<job_id>.steps[*].shell`


class Script(Frozen):
    """One `run:` of a workflow: a shell script with its folder, environment and shell. `shell` is `bash`, `sh`,
    `python` or a command with `{0}`; it is empty where the workflow names none, which means bash without `pipefail`.
    `typed`: a person typed it, so bash continues after a failing command, as at a prompt. `tolerant`: CI continues when
    it fails. `provides`: it creates the environment, or takes what an earlier job built from the same commit; it is not
    run where an environment already exists. `brings`: it is Heal's own command that installs a tool by name and runs
    nothing from the repository."""

    name: str
    run: str
    cwd: str = "."
    env: dict[str, str] = Field(default_factory=dict)
    shell: str = "bash"
    typed: bool = False
    tolerant: bool = False
    provides: bool = False
    brings: bool = False

    def text(self, first: str = "") -> str:
        """The script as bash text that first sets its environment and changes to its folder. `first`: bash text of
        Heal's own that runs there before the script itself."""
        exports = [f"export {key}={shlex.quote(value)}" for key, value in sorted(self.env.items())]
        change = f"cd {shlex.quote(self.cwd)}" + (" || exit" if self.cwd != "." else "")
        text = "\n".join([*exports, change, *filter(None, [first]), *self._body()])
        return f"bash --noprofile --norc -c {shlex.quote(text)} || true" if self.tolerant else text

    def _body(self) -> list[str]:
        if self.typed:
            return [self.run]
        if self.shell in ("", "bash"):
            return ["set -eo pipefail" if self.shell else "set -e", self.run]
        words = shlex.split(ON_A_FILE.get(self.shell, self.shell))
        command = " ".join(shlex.quote(word).replace("{0}", '"$heal_step"') for word in words)
        command = command.replace("'\"$heal_step\"'", '"$heal_step"')
        return [
            'heal_step=$(mktemp "${TMPDIR:-/tmp}/step.XXXXXX")',
            f'printf %s {shlex.quote(self.run)} > "$heal_step"',
            f"exec {command}",
        ]


class Check(Frozen):
    """One failing (or guarding) step of CI. `key` identifies what is run, so that results are cached by (tree, key).
    `by_heal`: the step is not a command of the repository but Heal's own call of a tool. `runtimes` are the languages
    that CI runs it with, each with its version as the workflow file spells it. `part`: which command of a step with
    several commands it is; empty for the whole step."""

    workflow: str
    job: str
    step: Script
    setup: tuple[Script, ...] = ()
    seconds: float | None = None  # CI's time limit for it
    servers: tuple[Server, ...] = ()  # what stands in for the job's service containers
    by_heal: bool = False
    runtimes: tuple[tuple[str, str], ...] = ()
    part: str = ""

    @property
    def key(self) -> str:
        """Content id of everything that is executed."""
        servers = [server.model_dump(mode="json") for server in self.servers]
        return content_id([s.text() for s in (*self.setup, self.step)], self.step.shell, *servers)

    @property
    def title(self) -> str:
        """The name that people see: `job / step`, with the command where the step has several."""
        step = f"{self.step.name} ({self.part})" if self.part else self.step.name
        return f"{self.job} / {step}" if self.job else step


class CheckResult(Frozen):
    """The result of one run of a check on one tree. `exit_code` is None where the run was stopped at a limit, which
    `why` names. `problem` is set where the check could not be run at all (a set-up step failed, a tool or a service is
    missing); then no other field counts. Its first line is a complete message; `advice` is the remedy, as a line to
    type."""

    check_key: str
    tree: str
    exit_code: int | None
    errors: tuple[CIError, ...] = ()
    output: str = ""
    seconds: float = 0.0
    whole_seconds: float = 0.0  # with its set-up
    why: str = ""
    problem: str = ""
    advice: str = ""
    idle_setup: tuple[int, ...] = ()  # set-up steps that had nothing to do here
    tests: RunReport | None = None  # what the test runners themselves reported; None where none did
    truncated: bool = False  # the middle of its output was not read, as it printed more than a job may

    @property
    def green(self) -> bool:
        """Whether the check ran to its end and exited with 0."""
        return not self.problem and self.exit_code == 0

    @property
    def partly_read(self) -> bool:
        """Whether the check is red and may have reported more errors than those in `errors`, in the part of its output
        that was cut."""
        return self.truncated and not self.green

    @property
    def usable(self) -> bool:
        """Whether errors that are not in `errors` are not there: the check is green, or red with readable errors in an
        output that was read as a whole."""
        ended = self.exit_code is not None and not self.problem
        return self.green or (ended and bool(self.errors) and not self.partly_read)

    @property
    def not_run(self) -> str:
        """Why there is no result, in one line; empty where the check ran to its end."""
        if self.problem:
            first, *more = self.problem.splitlines()
            return first + (f" ({more[-1].strip()})" if more else "")
        return f"it did not end here ({self.why})" if self.exit_code is None else ""


def command_check(command: str, cwd: str = ".", setup: Iterable[str] = (), *, typed: bool = False) -> Check:
    """Return a check for a command that a person named, preceded by the `setup` commands. `typed`: run it as at a
    prompt."""
    scripts = tuple(Script(name=line, run=line) for line in setup)
    return Check(workflow="", job="", step=Script(name=command, run=command, cwd=cwd, typed=typed), setup=scripts)
