"""What a sandbox is asked to run and what it gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from healing.process.owner import Owner
from healing.process.shell import Completed
from healing.sandbox.layers import Layers
from healing.sandbox.network import SetupNetwork

# Not 0: that would let a dump go on to a program that the machine's core_pattern names, outside and as root.
NO_CORE = 1


@dataclass(frozen=True)
class Limits:
    """Bounds on one command and everything it starts. `processes` counts threads too; `free_bytes` and `free_files` are
    what the worktree's disk has to keep free. Address space has no bound: sanitizers and the race detector of Go
    reserve far more of it than there is memory."""

    seconds: float = 600
    memory_bytes: int = 2 << 30
    processes: int = 4096
    file_bytes: int = 4 << 30
    output_bytes: int = 8 << 20
    free_bytes: int = 256 << 20
    free_files: int = 65_536


@dataclass(frozen=True)
class Job:
    """One command in one worktree. `root` is the only writable place beside a private /tmp; `readable` are further
    folders (a toolchain) that the command may read and execute; `env` is the whole environment that it adds to the
    clean one; `hosts` are names and addresses that it has to know, where it has a loopback of its own. With `layers`
    the command sees `root` over them; only a back end that is `layered` takes such a job. `network` is for a set-up
    step alone; only a back end with a loopback of its own takes such a job. `home` is a folder of the sandboxed user's
    that is its HOME and /tmp instead of a fresh one, to keep for the check what its set-up step installed; it may
    have layers too (`home_layers`). With `reports` the command is a program of Heal's that gets a report
    descriptor. `report_pipe` is a named pipe that it may write to, for where it has no sockets."""

    argv: tuple[str, ...]
    root: Path
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    limits: Limits = Limits()
    layers: Layers | None = None
    hosts: tuple[tuple[str, str], ...] = ()
    network: SetupNetwork | None = None
    home: Path | None = None
    home_layers: Layers | None = None
    reports: bool = False
    report_pipe: Path | None = None

    def overlays(self) -> tuple[tuple[Path, Layers], ...]:
        """The folders that are to be mounted over others."""
        both = ((self.root, self.layers), (self.home, self.home_layers))
        return tuple((folder, layers) for folder, layers in both if folder and layers)


class Sandbox(Protocol):
    """One back end."""

    @property
    def name(self) -> str:
        """`bubblewrap`, `landlock` or `none (unsafe)`."""
        ...

    @property
    def promises(self) -> frozenset[str]:
        """The rows of the table in docs/security.md that it keeps."""
        ...

    @property
    def owner(self) -> Owner | None:
        """Who it runs commands as; None for the user himself."""
        ...

    @property
    def own_loopback(self) -> bool:
        """Whether a command can start servers that nobody else reaches, and reaches nobody else's."""
        ...

    @property
    def layered(self) -> bool:
        """Whether it runs jobs whose worktree is an overlay."""
        ...

    async def run(self, job: Job) -> Completed:
        """Runs the job to its end or its limits; the whole process tree is dead when this returns."""
        ...

    def inside(self, root: Path) -> str:
        """The path under which `root` appears to the command, to map its output back."""
        ...
