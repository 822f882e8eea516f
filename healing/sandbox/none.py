"""No sandbox at all: only when a person names it, and then said everywhere (`--unsafe-no-sandbox`)."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

from healing.sandbox import promises
from healing.sandbox.environment import inside_environment, inside_folder, not_run
from healing.sandbox.job import Job, Owner
from healing.sandbox.temporary import private_folder
from healing.sandbox.watchdog import memory_watch
from healing.shell import Completed, run


@dataclass(frozen=True)
class Unsafe:
    """A bare subprocess, though never as root, with a clean environment and a time limit."""

    owner: Owner | None
    name: str = "none (unsafe)"
    promises: frozenset[str] = promises.UNSAFE

    def inside(self, root: Path) -> str:
        return str(root.resolve())

    async def run(self, job: Job) -> Completed:
        with contextlib.ExitStack() as stack:
            temporary = stack.enter_context(private_folder(self.owner))
            try:
                return await run(
                    job.argv,
                    cwd=job.root / inside_folder(job, self.owner),
                    env=inside_environment(job, str(temporary)),
                    timeout=job.limits.seconds,
                    output_bytes=job.limits.output_bytes,
                    user=self.owner,
                    watch=memory_watch(job.limits.memory_bytes),
                )
            except FileNotFoundError:
                return Completed(job.argv, 127, f"{job.argv[0]}: not found\n".encode(), 0.0)
            except (OSError, ValueError) as error:
                return not_run(job, str(error))
