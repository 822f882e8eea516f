"""Control groups as the kernel of this machine has them: version 2 wherever it is mounted, else version 1."""

import asyncio
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from healing.sandbox.cgroups import PREFIX, Cgroup, Cgroups, available_memory, find_cgroups
from healing.sandbox.job import Job, Limits, Sandbox
from healing.sandbox.watchdog import descendants
from tests.sandbox.host import alive

HERE = Path(__file__).parents[2]
MOUNTS = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
FAMILY = "import os, time\nfor _ in range(3):\n    os.fork()\nprint(os.getpid(), flush=True)\ntime.sleep(60)\n"


@pytest.fixture
def groups() -> Cgroups:
    found = find_cgroups()
    if found is None:
        pytest.skip("no control group can be had")
    return found


@pytest.fixture
def second_version() -> Path:
    """Where version 2 is mounted and groups can be made, whatever controllers it has."""
    for _, point, kind, *_ in MOUNTS:
        if kind == "cgroup2" and os.access(point, os.W_OK):
            return Path(point)
    pytest.skip("no control groups of version 2 can be had")


@pytest.fixture
def family() -> Iterator[subprocess.Popen[bytes]]:
    """A process with some below it."""
    with subprocess.Popen(["python3", "-c", FAMILY], stdout=subprocess.PIPE) as process:
        assert process.stdout
        for _ in range(8):
            process.stdout.readline()
        yield process
        process.kill()


def members(group: Cgroup) -> set[int]:
    return {int(pid) for pid in (group.path / "cgroup.procs").read_text().split()}


def ended(pids: set[int]) -> bool:
    """Whether none of them runs any more; a dead one may wait for its parent to look."""
    stats = [Path(f"/proc/{pid}/stat") for pid in pids]
    return all(stat.read_text().rpartition(")")[2].split()[0] in "ZX" for stat in stats if stat.exists())


# WT-5
def test_a_process_is_admitted_with_all_below_it_and_all_are_ended_with_the_group(
    groups: Cgroups, family: subprocess.Popen[bytes]
) -> None:
    group = groups.make(1 << 30, 64)
    group.admit(family.pid)
    inside = members(group)
    assert inside == set(descendants(family.pid))
    assert len(inside) == 8
    assert not group.removed()
    group.remove()
    assert not group.path.exists()
    assert ended(inside)


def test_the_second_version_of_the_interface_admits_and_ends_them_too(
    second_version: Path, family: subprocess.Popen[bytes]
) -> None:
    group = Cgroup(second_version / f"{PREFIX}{secrets.token_hex(4)}", 2)
    group.path.mkdir()
    group.admit(family.pid)
    inside = members(group)
    assert inside == set(descendants(family.pid))
    group.remove()
    assert not group.path.exists()
    assert ended(inside)


# WT-5
def test_the_memory_that_there_is_is_that_of_the_group_around_heal(groups: Cgroups) -> None:
    script = "input(); from healing.sandbox.cgroups import available_memory; print(available_memory())"
    group = groups.make(1 << 30, 64)
    try:
        with subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=HERE
        ) as process:
            group.admit(process.pid)
            printed, _ = process.communicate(b"\n", timeout=30)
    finally:
        group.remove()
    assert int(printed) == 1 << 30
    assert available_memory() <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_a_hierarchy_without_a_limit_on_memory_is_not_taken(second_version: Path) -> None:
    if "memory" in (second_version / "cgroup.subtree_control").read_text().split():
        pytest.skip("it has one here")
    parent = second_version / f"heal-test-{secrets.token_hex(4)}"
    parent.mkdir()
    try:
        with pytest.raises(OSError, match=r"memory\.max"):
            Cgroups(parent, second_version, 2).make(1 << 30, 64)
        assert [path for path in parent.iterdir() if path.is_dir()] == []
    finally:
        parent.rmdir()


# WT-5
async def test_every_process_of_a_job_is_in_its_group_and_the_group_goes_with_the_job(
    groups: Cgroups, sandbox: Sandbox, worktree: Path
) -> None:
    marker = f"97.{secrets.randbits(40)}"
    os.mkfifo(worktree / "ready")
    os.chmod(worktree / "ready", 0o666)
    reader, ready = os.open(worktree / "ready", os.O_RDONLY | os.O_NONBLOCK), asyncio.Event()
    asyncio.get_running_loop().add_reader(reader, ready.set)
    job = Job(
        ("sh", "-c", f"sleep {marker} & sleep {marker} & echo > ready; wait"), worktree, limits=Limits(seconds=60)
    )
    running = asyncio.ensure_future(sandbox.run(job))
    try:
        async with asyncio.timeout(60):
            await ready.wait()
        started = alive(marker)  # the shell, what it started, and with bubblewrap its own processes
        assert len(started) >= 3
        line = next(one for one in Path(f"/proc/{started[0]}/cgroup").read_text().splitlines() if PREFIX in one)
        group = Cgroup(groups.parent / line.rpartition("/")[2], groups.version)
        inside = members(group)
        assert set(started) <= inside
        assert inside == {one for pid in inside for one in descendants(pid)}, "something that they started is outside"
    finally:
        asyncio.get_running_loop().remove_reader(reader)
        os.close(reader)
        running.cancel()
        await asyncio.wait({running})
    assert not group.path.exists()
    assert alive(marker) == []
