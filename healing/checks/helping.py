"""The line that helps where a check could not be run: as a person types it, or as it stands in `.github/heal.yml`."""

import re
import shlex

from healing.checks.check import Check
from healing.checks.lacks import Scene, lack_of
from healing.checks.mending import command
from healing.checks.services.starting import KINDS

NETWORK_LINE = re.compile(r"\A[^\n]{0,400}`(network: \[[^\]\n`]{1,300}\])`")  # as setup_failure.py says it
HEAL_YML = ".github/heal.yml"
INSTALLS = ("pip install ", "npm install", "pnpm install", "yarn install", "bun install")


def for_program(name: str, exit_code: int | None, output: str, scene: Scene, own: bool) -> str:
    """How a program comes to where checks run. `own`: in a person's own environment; else in one that is made."""
    lack = lack_of(exit_code, output, scene)
    line = lack.advice if lack else f"install {name}, and put it on your PATH"
    if own:
        return line
    if line.startswith(INSTALLS):
        return f"{HEAL_YML}: setup: [{line}]"
    return f"install {name} where Heal runs, and name its folder in HEAL_PROGRAMS"


def for_setup(check: Check, output: str, offline: bool) -> str:
    """What lets set-up work that failed, or makes it needless."""
    if line := NETWORK_LINE.search(output):
        return f"{HEAL_YML}: {line[1]}"
    if offline:
        return f"{HEAL_YML}: network: [default]"
    return other_command(check)


def for_servers(check: Check) -> str:
    """What brings the servers that it needs."""
    packages = dict.fromkeys(KINDS[server.kind].package for server in check.servers)
    return f"apt-get install {' '.join(packages)}"


def other_command(check: Check) -> str:
    """How to judge by the command alone, where what stands before it can't be run."""
    told = command(check.step)
    return f"heal check --run {shlex.quote(told)}" if told and "\n" not in told else "heal config check"
