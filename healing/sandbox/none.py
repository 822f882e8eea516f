"""No sandbox at all: used only when a person selects it by name (`HEAL_SANDBOX=unsafe`), and then reported
everywhere."""

import contextlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

from healing.process.owner import Owner
from healing.process.shell import Completed, run
from healing.sandbox import promises
from healing.sandbox.environment import inside_environment, inside_folder, not_run
from healing.sandbox.job import Job, Sandbox
from healing.sandbox.reporting import report_channel
from healing.sandbox.temporary import private_folder
from healing.sandbox.watchdog import Watch

# Shown wherever this back end is in use.
UNSAFE_WARNING = (
    "HEAL_SANDBOX=unsafe: there is no sandbox, so a repository's code can reach the network and every file that the "
    "user it runs as may read"
)


@dataclass(frozen=True)
class Unsafe:
    """A plain subprocess with a clean environment and a time limit; still never as root."""

    owner: Owner | None
    name: str = "none (unsafe)"
    layered: bool = False
    own_loopback: bool = False
    promises: frozenset[str] = promises.UNSAFE

    def inside(self, root: Path) -> str:
        return str(root.resolve())

    async def run(self, job: Job) -> Completed:
        try:
            folder = inside_folder(job, self.owner, self.layered, self.own_loopback)
        except ValueError as error:
            return not_run(job, str(error))
        async with contextlib.AsyncExitStack() as stack:
            report = stack.enter_context(report_channel(job.reports))
            private = contextlib.nullcontext(job.home) if job.home else private_folder(self.owner)
            temporary = await stack.enter_async_context(private)
            try:
                ended = await run(
                    job.argv,
                    cwd=job.root / folder,
                    env=inside_environment(job, str(temporary), report),
                    timeout=job.limits.seconds,
                    output_bytes=job.limits.output_bytes,
                    user=self.owner,
                    pass_fds=report.descriptors,
                    watch=Watch(job, temporary=temporary).wait_for_limit,
                )
                return replace(ended, report=report.report())
            except FileNotFoundError as error:
                if error.filename == job.argv[0]:
                    return Completed(job.argv, 127, os.fsencode(f"{job.argv[0]}: not found\n"), 0.0)
                return not_run(job, str(error))
            except OSError as error:
                return not_run(job, str(error))


def warning_of(sandbox: Sandbox) -> str:
    """The warning to show about a back end that isolates nothing; empty for every other."""
    return UNSAFE_WARNING if promises.NO_READ_OUTSIDE not in sandbox.promises else ""
