"""What a sandbox is asked to run, and the protocol of its back ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from healing.process.owner import Owner
from healing.process.shell import Completed
from healing.sandbox.layers import Layers
from healing.sandbox.network import SetupNetwork

# Not 0: a dump could then still be piped to a program that the machine's core_pattern names, outside and as root.
NO_CORE = 1


@dataclass(frozen=True)
class Limits:
    """Limits on one command and everything it starts. `processes` counts threads too; `free_bytes` and `free_files` are
    what the worktree's disk has to keep free. Address space has no limit: sanitizers and Go's race detector reserve far
    more of it than there is memory."""

    seconds: float = 600
    memory_bytes: int = 2 << 30
    processes: int = 4096
    file_bytes: int = 4 << 30
    output_bytes: int = 8 << 20
    free_bytes: int = 256 << 20
    free_files: int = 65_536


@dataclass(frozen=True)
class Job:
    """One command in one worktree. `root` is the only writable place besides a private /tmp; `readable` are further
    folders (a toolchain) that the command may read and execute; `env` is added to the clean environment; `hosts` are
    names and addresses that it has to resolve, where it has a loopback of its own. With `layers` the command sees
    `root` laid over them; only a back end that is `layered` takes such a job. `network` is for set-up steps only, and
    only a back end with a loopback of its own takes such a job. `home` is a folder owned by the sandboxed user that
    becomes HOME and /tmp in place of a fresh one, so that a check finds what its set-up installed; it may have layers
    too (`home_layers`). With `reports` the command is a program of Heal's that gets a report descriptor. `report_pipe`
    is a named pipe that the command may write to, for back ends without sockets."""

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
        """The folders to be mounted over others, with their layers."""
        candidates = ((self.root, self.layers), (self.home, self.home_layers))
        return tuple((folder, layers) for folder, layers in candidates if folder and layers)


class Sandbox(Protocol):
    """A back end."""

    @property
    def name(self) -> str:
        """`bubblewrap`, `landlock` or `none (unsafe)`."""
        ...

    @property
    def promises(self) -> frozenset[str]:
        """The rows of the table in docs/security.md that this back end keeps."""
        ...

    @property
    def owner(self) -> Owner | None:
        """The user that commands run as; None for Heal's own user."""
        ...

    @property
    def own_loopback(self) -> bool:
        """Whether a command has a loopback network of its own: nothing outside reaches its servers, and it reaches none
        outside."""
        ...

    @property
    def layered(self) -> bool:
        """Whether it runs jobs whose worktree is an overlay."""
        ...

    async def run(self, job: Job) -> Completed:
        """Run the job to its end or its limits; the whole process tree is dead when this returns."""
        ...

    def inside(self, root: Path) -> str:
        """The path at which the command sees `root`, for mapping its output back."""
        ...
