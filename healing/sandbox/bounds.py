"""Keeps one job to its limits while it runs: a control group where possible, and a watchdog."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

from healing.process.shell import Completed
from healing.sandbox.cgroups import Cgroup, Cgroups
from healing.sandbox.job import Job
from healing.sandbox.watchdog import Watch


@dataclass(frozen=True)
class Bounds:
    """`gates` is the descriptor from which the program that starts the command first has to read a byte, which is sent
    once the process is in its group. It is empty where there is no group."""

    watching: Watch
    group: Cgroup | None = None
    gates: tuple[int, ...] = ()
    opener: int = -1

    async def watch(self, pid: int) -> str:
        """A watch for `healing.process.shell.run`: returns why the process and its descendants have to end."""
        if self.group:
            try:
                await asyncio.to_thread(self.group.admit, pid)
            except OSError as error:
                return f"its control group does not take it: {error}"
            with contextlib.suppress(BrokenPipeError):
                os.write(self.opener, b"x")
        return await self.watching.wait_for_limit(pid)

    def judged(self, ended: Completed) -> Completed:
        """The result of the job. It did not end by itself where the kernel killed one of its processes for lack of
        memory."""
        if self.group and not ended.why and self.group.killed():
            return replace(ended, exit_code=None, why=self.watching.memory_limit)
        return ended


@contextlib.asynccontextmanager
async def enforce_limits(
    job: Job, groups: Cgroups | None, own_network: bool, temporary: Path | None = None
) -> AsyncIterator[Bounds]:
    """Limits for one job; what is left in its group is killed afterwards. `own_network`: whether the command has a
    network namespace, so that all sockets in it are its own; `temporary`: its temporary folder where that lies on a
    disk. Raises OSError where no group can be created."""
    if groups is None:
        yield Bounds(Watch(job, own_network, None, temporary))
        return
    with contextlib.ExitStack() as stack:
        gate, opener = os.pipe()
        stack.callback(os.close, gate)
        stack.callback(os.close, opener)
        group = groups.make(job.limits.memory_bytes, job.limits.processes)
        warming = asyncio.ensure_future(asyncio.to_thread(groups.warm))
        try:
            yield Bounds(Watch(job, own_network, group, temporary), group, (gate,), opener)
        finally:
            await asyncio.shield(warming)
            if not group.removed():
                await asyncio.shield(asyncio.to_thread(group.remove))
