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


@contextlib.contextmanager
def private_folder(owner: Owner | None) -> Iterator[Path]:
    """A fresh temporary folder of the sandboxed user, removed afterwards whatever was done to it."""
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    try:
        hand_over(folder, owner)
        yield folder
    finally:
        remove(folder)


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
        maker = folder.name.removeprefix(PREFIX).partition("-")[0]
        with contextlib.suppress(FileNotFoundError):
            ours = folder.lstat().st_uid in (os.geteuid(), owner.uid if owner else os.geteuid())
            if ours and maker.isdigit() and not _runs(int(maker)):
                remove(folder)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
