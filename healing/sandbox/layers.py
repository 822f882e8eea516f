"""A worktree that exists only while a command runs in it: an overlay that is mounted for that command alone.

The mount lives in a mount namespace of the command's own, so a crash leaves no mount behind. It is created by `unshare`
and `mount` of util-linux in a user namespace, since bubblewrap before 0.11 can't do it itself.
"""

from dataclasses import dataclass
from pathlib import Path

from healing.files.overlay import KERNEL, Marks

MOUNT = (
    'while [ "$1" != -- ]; do '
    'mount -t overlay heal -o "lowerdir=$1,upperdir=$2,workdir=$3,userxattr" -- "$4" || exit 125; shift 4; done; '
    'cd / && shift && exec "$@"'
)
SEPARATORS = frozenset(",:\\")  # the characters that separate the options and folders of a mount


@dataclass(frozen=True)
class Layers:
    """The folders that a job's root is laid over. `lower` is shared and never written to; so is `between`, which lies
    over it; `below` are further folders under `lower`, the uppermost first. `work` is for the kernel; `joined` is where
    the result appears. `work` and `joined` are empty folders on the root's file system. All belong to the user who runs
    the job. `marks` is how the root records what is deleted from the lower folders."""

    lower: Path
    work: Path
    joined: Path
    between: Path | None = None
    below: tuple[Path, ...] = ()
    marks: Marks = KERNEL


def mounting(*overlays: tuple[Path, Layers]) -> tuple[str, ...]:
    """The words before a command that make each `layers.joined` show its root over `layers.lower`, for that command
    only; empty without overlays. Raises ValueError for a path that a mount can't name, and for marks that the kernel
    doesn't support."""
    if not overlays:
        return ()
    unshare = ("/usr/bin/unshare", "--user", "--map-root-user", "--mount", "--propagation", "private", "--")
    folders = [word for root, layers in overlays for word in _folders(root, layers)]
    return (*unshare, "/bin/sh", "-c", f"PATH=/usr/bin:/bin; {MOUNT}", "sh", *folders, "--")


def _folders(root: Path, layers: Layers) -> tuple[str, ...]:
    if layers.marks is not KERNEL:
        raise ValueError("this worktree is there to be edited, not for commands: its disk takes no overlay's marks")
    stack = (*((layers.between,) if layers.between else ()), layers.lower, *layers.below)
    lower = [str(path.resolve()) for path in stack]
    upper = [str(path.resolve()) for path in (root, layers.work, layers.joined)]
    if odd := [folder for folder in (*lower, *upper) if SEPARATORS & set(folder)]:
        raise ValueError(f"{odd[0]} has a comma, a colon or a backslash in it: keep Heal's data in another folder")
    return (":".join(lower), *upper)
