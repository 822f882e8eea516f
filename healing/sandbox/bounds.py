"""What holds one job to its limits while it runs: a control group where there can be one, and a watch."""

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
    """`gates` is the descriptor that whoever starts the command has to read a byte from first: it comes when the
    process is in its group. There is none where there is no group."""

    watching: Watch
    group: Cgroup | None = None
    gates: tuple[int, ...] = ()
    opener: int = -1

    async def watch(self, pid: int) -> str:
        """A watch for `healing.process.shell.run`: returns why the process and all below it have to end."""
        if self.group:
            try:
                await asyncio.to_thread(self.group.admit, pid)
            except OSError as error:
                return f"its control group does not take it: {error}"
            with contextlib.suppress(BrokenPipeError):
                os.write(self.opener, b"x")
        return await self.watching.until_too_much(pid)

    def judged(self, ended: Completed) -> Completed:
        """How the job ended; one from which the kernel took a process for want of memory did not end by itself."""
        if self.group and not ended.why and self.group.killed():
            return replace(ended, exit_code=None, why=self.watching.memory_limit)
        return ended


@contextlib.asynccontextmanager
async def bounded(
    job: Job, groups: Cgroups | None, own_network: bool, temporary: Path | None = None
) -> AsyncIterator[Bounds]:
    """Bounds for one job; what is left in its group is ended afterwards. `own_network`: whether the command has a
    network namespace, whose sockets are then all its own; `temporary`: its temporary folder where that lies on a disk.
    Raises OSError where no group can be made."""
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
