"""Checks in an environment that is already there, a person's own: what would make one is not run.

Steps that install are left out, and of commands that make an environment to run others in it (tox, `uv run`) only the
others are left. Set-up that makes files of the repository's (code generation, builds) is run as CI does, for checks
read those.
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
# What an earlier job built is not there, and holds no change of this tree: tox packages that itself.
BUILT_BEFORE = re.compile(r"""[ \t]--installpkg(?:=|[ \t]+)(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|\$\([^)\n]*\)|[^\s"'`]+)""")
# A list of commands can lose one of them; where there is control flow between them it can't.
FLOW = re.compile(r"^\s*(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|function|[{}()]|\w+\s*\(\))|<<", re.M)
SHELLS = ("", "bash", "sh")


@dataclass(frozen=True)
class Part:
    """One command that a check comes to. `lacks`: why it can't be run here; empty where it can be tried."""

    check: Check
    lacks: str = ""


@dataclass(frozen=True)
class OwnEnvironment:
    """The environment of the person whose tree this is. `installed` says whether it has a program."""

    view: TreeView
    installed: Installed

    def parts(self, check: Check) -> tuple[Part, ...]:
        """What the check comes to here, a command each; itself alone where nothing of it has to be opened. None where
        what it makes an environment for looks at no code (it builds documentation, say)."""
        setup = (without_installs(script) for script in check.setup if not script.provides)
        step = check.step.model_copy(update={"run": BUILT_BEFORE.sub("", check.step.run)})
        check = check.model_copy(update={"setup": tuple(one for one in setup if one is not None), "step": step})
        opened = self._opened(check)
        return (Part(check),) if opened is None else tuple(opened)

    def hooks(self) -> tuple[tuple[Check, ...], tuple[str, ...]]:
        """The hooks that judge every commit here, as checks, and the names of those whose tool is not installed."""
        try:
            found = [hook for hook in hooks(self.view, []) if not hook.tidy]
        except WorkflowError:
            return (), ()
        here = {hook.id: hook for hook in found if hook.command and self.installed(hook.program)}
        checks = tuple(
            Check(workflow="", job="", step=Script(name=f"pre-commit {name}", run=hook.command))
            for name, hook in here.items()
        )
        return checks, tuple(hook.id for hook in found if hook.id not in here)

    def _opened(self, check: Check) -> list[Part] | None:
        """The commands of a step in which one or more are opened, each with the plain ones before it; None where there
        is nothing to open."""
        step = check.step
        if step.shell not in SHELLS or FLOW.search(step.run):
            return None
        launchers = Launchers(self.view, self.installed)
        lines = [line.strip() for line in re.split(r"\n|&&", step.run.replace("\\\n", " ")) if line.strip()]
        found = [(line, launchers.opened(line, step.env)) for line in lines]
        if all(opened is None for _, opened in found):
            return None
        parts: list[Part] = []
        before: list[str] = []
        for line, opened in found:
            alone = step.model_copy(update={"run": line})
            if opened is not None:
                parts += (part for one in opened if (part := _part(check, before, one)))
            elif is_check(alone):
                parts.append(Part(_with(check, alone, before)))
            elif not installs(alone):
                before.append(line)
        return parts


def _part(check: Check, before: list[str], one: OpenedCommand) -> Part | None:
    """One opened command as a check; None where it looks at no code."""
    name = f"{check.step.name} ({one.name})" if one.name else check.step.name
    cwd = check.step.cwd if one.cwd == "." else one.cwd
    env = {**check.step.env, **one.env}
    script = check.step.model_copy(update={"run": one.command, "name": name, "cwd": cwd, "env": env})
    if one.lacks:
        return Part(check.model_copy(update={"step": script}), one.lacks)
    return Part(_with(check, script, before)) if one.judges or is_check(script) else None


def _with(check: Check, script: Script, before: list[str]) -> Check:
    run = "\n".join([*before, script.run])
    return check.model_copy(update={"step": script.model_copy(update={"run": run})})


def together(results: Iterable[CheckResult]) -> CheckResult:
    """What several parts of one check come to: red where one is, else not known where one isn't, else green."""
    every = tuple(results)
    red = [one for one in every if not one.not_run and not one.green]
    first = next(iter([*red, *(one for one in every if one.not_run), *every]))
    errors = tuple(error for one in red for error in one.errors)
    return first.model_copy(update={"errors": errors, "seconds": sum(one.seconds for one in every)})


def any_installs(checks: Iterable[Check]) -> bool:
    """Whether any of these checks has set-up that installs something."""
    return any(installs(script) for check in checks for script in check.setup)


def without_installs(script: Script) -> Script | None:
    """The script without its commands that install something. None: nothing is left, or they can't be taken out of
    what stands around them."""
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
