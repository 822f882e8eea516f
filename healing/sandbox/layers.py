"""A worktree that is there only while a command runs in it: an overlay, mounted for that command alone.

The mount lives in a mount namespace that the command brings along and that goes with it, so a crash leaves none; it is
made by `unshare` and `mount` of util-linux in a user namespace, since bubblewrap before 0.11 can't make it itself.
"""

from dataclasses import dataclass
from pathlib import Path

from healing.files.overlay import KERNEL, Marks

MOUNT = (
    'while [ "$1" != -- ]; do '
    'mount -t overlay heal -o "lowerdir=$1,upperdir=$2,workdir=$3,userxattr" -- "$4" || exit 125; shift 4; done; '
    'cd / && shift && exec "$@"'
)
SEPARATORS = frozenset(",:\\")  # what stands between the options and folders of a mount


@dataclass(frozen=True)
class Layers:
    """What a job's root lies over. `lower` is shared and never written to, and so is `between`, which lies over it;
    `below` are further ones under `lower`, the uppermost first: whatever is in none of the others is seen there.
    `work` is the kernel's own; `joined` is where all appear. `work` and `joined` are empty folders on the root's file
    system. All belong to who runs it. By `marks` the root says what of the lower ones is gone."""

    lower: Path
    work: Path
    joined: Path
    between: Path | None = None
    below: tuple[Path, ...] = ()
    marks: Marks = KERNEL


def mounting(*overlays: tuple[Path, Layers]) -> tuple[str, ...]:
    """The words before a command that make each `layers.joined` show its root over `layers.lower`, for that command
    alone; none where there are no overlays. Raises ValueError for a path that no mount can name, and for marks that the
    kernel doesn't know."""
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
