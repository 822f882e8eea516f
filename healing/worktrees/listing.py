"""What lies below a folder, and by which marks the kernel tells that it was changed: listed by GNU find, which looks at
ten thousand entries on another processor while Python can do something else.

An ordinary user can give a file back its length, mode and time of modification, but never its number and its time of
change (ctime). Nothing is followed.
"""

import os
import shutil
import stat
import subprocess
from functools import cache
from pathlib import Path

from healing.git.names import MAX_DEPTH

Mark = bytes  # time of change, kind, mode, inode, size; the later was changed the greater
Marks = dict[bytes, Mark]  # by path below the root; the root itself is b""
FORMAT = r"%P\0%C@ %y %m %i %s\0"
KINDS = {stat.S_IFDIR: b"d", stat.S_IFREG: b"f", stat.S_IFLNK: b"l", stat.S_IFIFO: b"p", stat.S_IFSOCK: b"s"}


class Spoiled(Exception):
    """A copy that is not worth repairing, or can't be."""


@cache
def can_list() -> bool:
    """Whether there is a find that knows how to tell it."""
    find = shutil.which("find")
    return find is not None and b"GNU" in subprocess.run([find, "--version"], capture_output=True, check=False).stdout


def scan(root: Path, most: int | None = None) -> Marks:
    """The marks of everything below the root, as deep as a copy goes. Raises Spoiled where there is more than `most`,
    or something that can't be looked at."""
    argv = ["find", "-P", str(root.absolute()), "-maxdepth", str(MAX_DEPTH + 1), "-printf", FORMAT]
    found: list[bytes] = []
    entries = 0
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=_environment()
    ) as find:
        assert find.stdout is not None
        while block := find.stdout.read(1 << 18):
            found.append(block)
            entries += block.count(b"\0")
            if most is not None and entries > 2 * most + 2:
                find.kill()
                raise Spoiled("too much lies there")
    if find.returncode != 0:
        raise Spoiled("something there can't be looked at")
    fields = b"".join(found).split(b"\0")
    return dict(zip(fields[0:-1:2], fields[1::2], strict=True))


def mark_of(path: Path) -> Mark:
    """The same as `scan` gives for what is there. Raises OSError."""
    status = path.lstat()
    seconds, rest = divmod(status.st_ctime_ns, 10**9)
    kind = KINDS.get(stat.S_IFMT(status.st_mode), b"?").decode()
    return b"%d.%09d0 " % (seconds, rest) + (
        f"{kind} {stat.S_IMODE(status.st_mode):o} {status.st_ino} {status.st_size}".encode()
    )


def is_folder(mark: Mark) -> bool:
    """Whether these are the marks of a folder."""
    return mark.split(b" ", 2)[1] == b"d"


def changed_at(mark: Mark) -> int:
    """The time of change, ns."""
    seconds, _, rest = mark.split(b" ", 1)[0].partition(b".")
    return int(seconds) * 10**9 + int(rest[:9])


def same_but_time(one: Mark, other: Mark) -> bool:
    """Whether kind, mode and inode are the same."""
    return one.split(b" ")[1:4] == other.split(b" ")[1:4]


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
