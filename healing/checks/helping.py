"""The remedy for a check that could not be run: as a line to type, or as an entry of `.github/heal.yml`."""

import re
import shlex

from healing.checks.check import Check
from healing.checks.hosts import DEFAULT
from healing.checks.missing import FailureContext, MissingRequirement, can_be_installed, find_missing
from healing.checks.remedies import command
from healing.checks.services.starting import KINDS
from healing.checks.setup_failure import NOT_AMONG
from healing.environment.pip_line import pip_line
from healing.environment.toolchain import Toolchain
from healing.sandbox.remedies import remedy_for
from healing.sandbox.view import View
from healing.view import TreeView

HEAL_YML = ".github/heal.yml"
ANOTHER = "name a command that reads these files"
REFUSED = re.compile(rf"([a-z0-9.-]{{4,253}}) {NOT_AMONG}")


def typed(advice: str, view: View | None) -> str:
    """The advice, with the `pip install` of its beginning as it is typed for a person's own environment."""
    words = advice.removeprefix("pip install ")
    return pip_line(words, view) if view and words != advice else advice


def advice_for_missing(missing: MissingRequirement, toolchain: Toolchain) -> str:
    """How to provide what is missing. Where a person's own environment can't be shown completely, the tool may exist
    all the same, so the line that makes it visible comes first."""
    advice = typed(missing.advised(toolchain.personal or bool(toolchain.apart)), toolchain.view)
    return f"{remedy_for(toolchain.apart)}, if it works in your shell; else {advice}" if toolchain.apart else advice


def advice_for_program(
    name: str, exit_code: int | None, output: str, context: FailureContext, toolchain: Toolchain
) -> str:
    """How to provide a missing program."""
    missing = find_missing(exit_code, output, context) or MissingRequirement(
        "", f"install {name}, and put it on your PATH"
    )
    return advice_for_missing(missing, toolchain)


def advice_without_evidence(tree: TreeView, view: View) -> str:
    """What makes a green result evidence about the tree's files, in the person's own environment."""
    if not can_be_installed(tree):
        return ANOTHER
    return f"{typed('pip install -e .', view)} (the tests have to find the project itself), or {ANOTHER}"


def advice_for_setup(check: Check, output: str, offline: bool) -> str:
    """A remedy for set-up that failed, or a way to do without it; empty where it failed for lack of a network
    (`offline`)."""
    if refused := REFUSED.search(output):
        return f"{HEAL_YML}: network: [{DEFAULT}, {refused[1]}]"
    return "" if offline else other_command(check)


def advice_for_servers(check: Check) -> str:
    """The command that installs the servers that a check needs."""
    packages = dict.fromkeys(KINDS[server.kind].package for server in check.servers)
    return f"apt-get install {' '.join(packages)}"


def other_command(check: Check) -> str:
    """How to judge by the command alone, where the steps before it can't be run."""
    line = command(check.step)
    return f"heal check --run {shlex.quote(line)}" if line and "\n" not in line else "heal config check"
