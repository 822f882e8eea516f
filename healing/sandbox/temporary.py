"""Private temporary folders for back ends that have no file system of their own for them."""

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from healing.sandbox.job import Owner
from healing.sandbox.owner import hand_over

PREFIX = "heal-tmp-"
UNFINISHED = ".making-"  # in the data folder: what is moved to its place, or removed, when it is done


@contextlib.contextmanager
def private_folder(owner: Owner | None) -> Iterator[Path]:
    """A fresh temporary folder of the sandboxed user, removed afterwards whatever was done to it."""
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    try:
        hand_over(folder, owner)
        yield folder
    finally:
        remove(folder)


def unfinished(parent: Path) -> Path:
    """A new folder in `parent` for what is being made; should this process be killed, `sweep_unfinished` finds it."""
    return Path(tempfile.mkdtemp(prefix=f"{UNFINISHED}{os.getpid()}-", dir=parent))


def sweep_unfinished(data: Path) -> tuple[str, ...]:
    """Removes what killed processes were making in the data folder and the folders right below. To be called before
    this process makes anything: in a container the killed one had the same number. Gives the names."""
    names = ((folder, folder.name.removeprefix(UNFINISHED)) for folder in _unfinished_in(data))
    dead = [folder for folder, name in names if name.startswith(f"{os.getpid()}-") or not _maker_runs(name)]
    for folder in dead:
        remove(folder)
    return tuple(folder.name for folder in dead)


def _unfinished_in(data: Path) -> list[Path]:
    return [*data.glob(f"{UNFINISHED}*"), *data.glob(f"*/{UNFINISHED}*")]


def _open_up(function: Callable[..., Any], path: str, _: object) -> None:
    """A folder that its maker closed to himself: open it (never through a link) and try once more."""
    for closed in (os.path.dirname(path), path):
        with contextlib.suppress(OSError):
            if stat.S_ISDIR(os.lstat(closed).st_mode):
                os.chmod(closed, 0o700)
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            function(path)


def remove(folder: Path) -> None:
    """Removes the folder and all in it, whatever modes its contents were given; links are never followed."""
    shutil.rmtree(folder, onerror=_open_up)


def sweep(owner: Owner | None) -> None:
    """Removes what a Heal that was killed left behind: folders of ours that name a process which is no more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(FileNotFoundError):
            ours = folder.lstat().st_uid in (os.geteuid(), owner.uid if owner else os.geteuid())
            if ours and not _maker_runs(folder.name.removeprefix(PREFIX)):
                remove(folder)


def _maker_runs(name: str) -> bool:
    """Whether the process with the number that `name` begins with runs; also where it begins with none."""
    pid = name.partition("-")[0]
    if not pid.isdigit():
        return True
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
