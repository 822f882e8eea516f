"""Base environments for tests: laid out by Heal once a run for all its processes, and linked to where one is wanted.

Laying one out copies and compiles some 6,000 files: 3 to 4 seconds of CPU. Linking them takes 0.4.

They lie in memory where there is some: removing 6,000 files from a busy disk takes up to a quarter of a minute, and
what lies in memory too (`memory`) can be linked to them instead of being copied.
"""

import asyncio
import fcntl
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from healing.environment.toolchain import Toolchain, base_environment
from healing.process.owner import Owner

PLACE = "TESTS_TOOLCHAINS"  # not HEAL_…: Heal complains about a setting that it doesn't know


def memory() -> Path | None:
    """A folder in memory that has room and from which programs can be started; None where there is none."""
    folder = Path("/dev/shm")
    fits = folder.is_dir() and not os.statvfs(folder).f_flag & os.ST_NOEXEC
    return folder if fits and shutil.disk_usage(folder).free > 2 << 30 else None


def begin_run() -> None:
    """Makes the place that all processes of a run share; they inherit its name."""
    folder = Path(tempfile.mkdtemp(prefix="heal-test-toolchains-", dir=memory()))
    folder.chmod(0o711)
    os.environ[PLACE] = str(folder)


def end_run() -> None:
    """Removes what was laid out there."""
    shutil.rmtree(os.environ.pop(PLACE))


def laid_out(data: Path, owner: Owner | None) -> Toolchain:
    """What `base_environment` makes in that data folder. Outside of a run of tests it is made there."""
    if PLACE in os.environ:
        made = _made(Path(os.environ[PLACE]), owner)
        shutil.copytree(made, data / "toolchains", symlinks=True, copy_function=_link, dirs_exist_ok=True)
    return asyncio.run(base_environment(data, owner))


@cache
def _made(place: Path, owner: Owner | None) -> Path:
    folder = place / (str(owner.uid) if owner else "own")  # another user may need another interpreter
    folder.mkdir(mode=0o711, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # or a second process would link what is only half compiled
        asyncio.run(base_environment(folder, owner))
    return folder / "toolchains"


def _link(source: str, target: str) -> None:
    """The same file, or a copy where that is another disk."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target)
