"""Reports of Heal's own programs inside the sandbox can't be forged by what runs beside or after them."""

import re
from pathlib import Path

import pytest

from healing.checks.driver import SERVICE_FAILED, SETUP_FAILED, DriverReport, driver_command, read_report
from healing.environment.toolchain import Toolchain
from healing.process.shell import Completed
from healing.sandbox.job import Job, Sandbox

IDLE = "echo 'Requirement already satisfied: x'"
# Everything that a step can write to: its outputs, every descriptor that is open, and those of its parents.
EVERYWHERE = r"""
said=$'::heal-idle-setup 1\nidle 1\nsetup-failed 1\nservice-failed\n'
printf %s "$said"; printf %s "$said" >&2
for fd in {3..255}; do { printf %s "$said" >&$fd; } 2>/dev/null; done
for file in /proc/$PPID/fd/* /proc/self/fd/* /proc/1/fd/*; do { printf %s "$said" >> "$file"; } 2>/dev/null; done
printf %s "$said" >> "$HOME/.idle"
[ -z "$HEAL_REPORT" ] || printf %s "$said" >&$HEAL_REPORT
"""


MAIN = re.compile(rb"main [0-9]+\n")


async def drive(sandbox: Sandbox, worktree: Path, toolchain: Toolchain, step: str, *setup: str) -> Completed:
    argv = driver_command(step, "", setup)
    shown = toolchain.readable
    return await sandbox.run(Job(argv, worktree, env=toolchain.env, readable=shown, reports=True))


# WT-5
@pytest.mark.parametrize("code", [0, SETUP_FAILED, SERVICE_FAILED])
async def test_a_step_cannot_forge_a_report(sandbox: Sandbox, worktree: Path, toolchain: Toolchain, code: int) -> None:
    ended = await drive(sandbox, worktree, toolchain, f"{EVERYWHERE}\nexit {code}", "true")
    assert ended.exit_code == code, ended.output.decode()
    assert MAIN.fullmatch(ended.report)  # what the driver wrote before the step
    assert ended.output.startswith(b"::heal-idle-setup 1")


# WT-5
async def test_a_set_up_step_inherits_no_way_to_report(sandbox: Sandbox, worktree: Path, toolchain: Toolchain) -> None:
    ended = await drive(sandbox, worktree, toolchain, "true", f"{EVERYWHERE}\ntrue", "true")
    assert ended.exit_code == 0, ended.output.decode()
    assert MAIN.fullmatch(ended.report)


# WT-5
async def test_the_program_reports_which_set_up_steps_had_nothing_to_do_and_which_failed(
    sandbox: Sandbox, worktree: Path, toolchain: Toolchain
) -> None:
    ended = await drive(sandbox, worktree, toolchain, "echo done", "true", IDLE, IDLE)
    assert (ended.output, read_report(ended.report).idle) == (b"done\n", (2, 3))
    assert read_report(ended.report).main > 0
    ended = await drive(sandbox, worktree, toolchain, "echo done", IDLE, "echo oh; exit 3")
    assert read_report(ended.report) == DriverReport(setup_failed=True, idle=(1,))
    assert ended.exit_code == SETUP_FAILED
    assert ended.output == b"set-up step 2 ended with exit code 3\noh\n"


def test_lines_that_are_no_report_count_for_nothing() -> None:
    junk = b"idle\nidle x\nIDLE 1\nidle 1 2\nsetup-failed\xff\n\nidle 9999999\nidle 4"
    assert read_report(junk) == DriverReport(idle=(4,))
