"""Lists the entries below a folder with the metadata by which changes are detected. GNU find does the listing: it reads
ten thousand entries on another processor while Python does something else.

An ordinary user can restore a file's length, mode and mtime, but never its inode number and ctime. Links are not
followed.
"""

import os
import shutil
import stat
import subprocess
from functools import cache
from pathlib import Path

from healing.git.names import MAX_DEPTH

Mark = bytes  # ctime, kind, mode, inode, size; the mark of a later change compares greater
Marks = dict[bytes, Mark]  # by path below the root; the root itself is b""
FORMAT = r"%P\0%C@ %y %m %i %s\0"
KINDS = {stat.S_IFDIR: b"d", stat.S_IFREG: b"f", stat.S_IFLNK: b"l", stat.S_IFIFO: b"p", stat.S_IFSOCK: b"s"}


class NotRestorable(Exception):
    """A copy can't be restored, or it isn't worth it."""


@cache
def can_list() -> bool:
    """Whether GNU find is installed."""
    find = shutil.which("find")
    return find is not None and b"GNU" in subprocess.run([find, "--version"], capture_output=True, check=False).stdout


def scan(root: Path, most: int | None = None) -> Marks:
    """The marks of all entries below the root, as deep as a copy goes. Raises NotRestorable where there are more than
    `most` entries, or one that can't be read."""
    argv = ["find", "-P", str(root.absolute()), "-maxdepth", str(MAX_DEPTH + 1), "-printf", FORMAT]
    blocks: list[bytes] = []
    entries = 0
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=_environment()
    ) as find:
        assert find.stdout is not None
        while block := find.stdout.read(1 << 18):
            blocks.append(block)
            entries += block.count(b"\0")
            if most is not None and entries > 2 * most + 2:
                find.kill()
                raise NotRestorable("too much lies there")
    if find.returncode != 0:
        raise NotRestorable("something there can't be looked at")
    fields = b"".join(blocks).split(b"\0")
    return dict(zip(fields[0:-1:2], fields[1::2], strict=True))


def mark_of(path: Path) -> Mark:
    """The mark of one entry, as `scan` returns it. Raises OSError."""
    status = path.lstat()
    seconds, rest = divmod(status.st_ctime_ns, 10**9)
    kind = KINDS.get(stat.S_IFMT(status.st_mode), b"?").decode()
    return b"%d.%09d0 " % (seconds, rest) + (
        f"{kind} {stat.S_IMODE(status.st_mode):o} {status.st_ino} {status.st_size}".encode()
    )


def is_folder(mark: Mark) -> bool:
    """Whether the mark is a folder's."""
    return mark.split(b" ", 2)[1] == b"d"


def changed_at(mark: Mark) -> int:
    """The ctime in nanoseconds."""
    seconds, _, rest = mark.split(b" ", 1)[0].partition(b".")
    return int(seconds) * 10**9 + int(rest[:9])


def same_but_time(one: Mark, other: Mark) -> bool:
    """Whether kind, mode and inode are the same."""
    return one.split(b" ")[1:4] == other.split(b" ")[1:4]


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
