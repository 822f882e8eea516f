"""Checks in an existing environment, a person's own: steps that would create one are not run.

Steps that install are left out, and a command that creates an environment and runs others in it (tox, `uv run`) is
reduced to those others. Set-up that generates files of the repository (code generation, builds) runs as in CI, since
checks read those.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from healing.checks.check import Check, CheckResult, Script
from healing.checks.hooks import hooks
from healing.checks.launchers import Installed, Launchers, OpenedCommand
from healing.checks.recognising import INSTALLS, PLAIN, installs, is_check
from healing.checks.source import WorkflowError
from healing.view import TreeView

NOTE = "set-up steps that install are not run: your environment is used"
# What an earlier job built is missing here and lacks this tree's changes; tox packages the project itself.
BUILT_BEFORE = re.compile(r"""[ \t]--installpkg(?:=|[ \t]+)(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|\$\([^)\n]*\)|[^\s"'`]+)""")
# A command can be taken out of a plain list, but not out of control flow.
FLOW = re.compile(r"^\s*(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|function|[{}()]|\w+\s*\(\))|<<", re.M)
SHELLS = ("", "bash", "sh")


@dataclass(frozen=True)
class Part:
    """One command of a check. `lacks`: why it can't be run here; empty where it can be tried."""

    check: Check
    lacks: str = ""


@dataclass(frozen=True)
class OwnEnvironment:
    """The environment of the person whose tree this is. `installed` returns whether it has a program."""

    view: TreeView
    installed: Installed

    def parts(self, check: Check) -> tuple[Part, ...]:
        """The commands of the check, each as a check of its own; only the check itself where nothing in it has to be
        opened. Empty where the commands that would run in the created environment check no code (they build
        documentation, for example)."""
        setup = (without_installs(script) for script in check.setup if not script.provides)
        step = check.step.model_copy(update={"run": BUILT_BEFORE.sub("", check.step.run)})
        check = check.model_copy(update={"setup": tuple(one for one in setup if one is not None), "step": step})
        opened = self._opened(check)
        return (Part(check),) if opened is None else tuple(opened)

    def hooks(self) -> tuple[tuple[Check, ...], tuple[str, ...]]:
        """The pre-commit hooks that judge every commit here, as checks, and the ids of those whose tool is not
        installed."""
        try:
            judging = [hook for hook in hooks(self.view, []) if not hook.tidy]
        except WorkflowError:
            return (), ()
        runnable = {hook.id: hook for hook in judging if hook.command and self.installed(hook.program)}
        checks = tuple(
            Check(workflow="", job="", step=Script(name=f"pre-commit {name}", run=hook.command))
            for name, hook in runnable.items()
        )
        return checks, tuple(hook.id for hook in judging if hook.id not in runnable)

    def _opened(self, check: Check) -> list[Part] | None:
        """The commands of a step with launchers opened, each with the plain commands before it; None where there is
        nothing to open."""
        step = check.step
        if step.shell not in SHELLS or FLOW.search(step.run):
            return None
        launchers = Launchers(self.view, self.installed)
        lines = [line.strip() for line in re.split(r"\n|&&", step.run.replace("\\\n", " ")) if line.strip()]
        opened_lines = [(line, launchers.opened(line, step.env)) for line in lines]
        if all(opened is None for _, opened in opened_lines):
            return None
        parts: list[Part] = []
        before: list[str] = []
        for line, opened in opened_lines:
            alone = step.model_copy(update={"run": line})
            if opened is not None:
                parts += (part for command in opened if (part := _part(check, before, command)))
            elif is_check(alone):
                parts.append(Part(_with_prefix(check, alone, before)))
            elif not installs(alone):
                before.append(line)
        return parts


def _part(check: Check, before: list[str], one: OpenedCommand) -> Part | None:
    """One opened command as a check; None where it checks no code."""
    name = f"{check.step.name} ({one.name})" if one.name else check.step.name
    cwd = check.step.cwd if one.cwd == "." else one.cwd
    env = {**check.step.env, **one.env}
    script = check.step.model_copy(update={"run": one.command, "name": name, "cwd": cwd, "env": env})
    if one.lacks:
        return Part(check.model_copy(update={"step": script}), one.lacks)
    return Part(_with_prefix(check, script, before)) if one.judges or is_check(script) else None


def _with_prefix(check: Check, script: Script, before: list[str]) -> Check:
    run = "\n".join([*before, script.run])
    return check.model_copy(update={"step": script.model_copy(update={"run": run})})


def combined_result(results: Iterable[CheckResult]) -> CheckResult:
    """The combined result of a check's parts: red where one is, else not run where one could not be run, else green."""
    all_results = tuple(results)
    red = [result for result in all_results if not result.not_run and not result.green]
    first = next(iter([*red, *(result for result in all_results if result.not_run), *all_results]))
    errors = tuple(error for result in red for error in result.errors)
    return first.model_copy(update={"errors": errors, "seconds": sum(result.seconds for result in all_results)})


def any_installs(checks: Iterable[Check]) -> bool:
    """Whether the set-up of any of these checks installs something."""
    return any(installs(script) for check in checks for script in check.setup)


def without_installs(script: Script) -> Script | None:
    """The script without its commands that install something. None: nothing is left, or they can't be separated from
    the commands around them."""
    if not installs(script):
        return script
    if script.shell not in SHELLS or FLOW.search(script.run):
        return None
    lines = script.run.replace("\\\n", " ").splitlines()
    kept = [" && ".join(part for part in line.split(" && ") if not _is_install(part)) for line in lines]
    rest = script.model_copy(update={"run": "\n".join(kept)})
    empty = all(not line.strip() or line.lstrip().startswith("#") for line in kept)
    return None if empty or installs(rest) else rest


def _is_install(command: str) -> bool:
    return bool(INSTALLS.search(command[:500]) and PLAIN.match(command))
