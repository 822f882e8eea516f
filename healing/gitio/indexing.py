"""Git's index file (version 2) as bytes: written for a checkout, and changed without reading all of it again."""

import hashlib
import os
import struct
from collections.abc import Iterator, Mapping

from healing.gitio.errors import GitError
from healing.merge import TreeEntry

HEADER = struct.Struct(">4sII")
STAT = struct.Struct(">10I20sH")  # times, device, inode, mode, owner, size; object; flags
MAX_NAME = 0xFFF
NOT_RUN = 0x8000  # "assume unchanged": for what a checkout left out
MASK = 0xFFFFFFFF


def index_entry(path: bytes, entry: TreeEntry, status: os.stat_result | None) -> bytes:
    """One entry; `status` None: nothing is on disk, and git shall not look."""
    flags = min(len(path), MAX_NAME) | (0 if status else NOT_RUN)
    noted = (0,) * 6
    owned = (0, 0, 0)
    if status:
        times = (*divmod(status.st_ctime_ns, 10**9), *divmod(status.st_mtime_ns, 10**9))
        noted = (*times, status.st_dev, status.st_ino)
        owned = (status.st_uid, status.st_gid, status.st_size)
    numbers = [number & MASK for number in (*noted, _mode(entry), *owned)]
    fixed = STAT.pack(*numbers, bytes.fromhex(entry.sha), flags)
    return fixed + path + b"\0" * (8 - (len(fixed) + len(path)) % 8)


def _mode(entry: TreeEntry) -> int:
    """Old trees have modes that an index doesn't take."""
    return (0o100755 if entry.mode & 0o100 else 0o100644) if entry.regular else entry.mode


def index_file(entries: Mapping[bytes, bytes]) -> bytes:
    """The index of these entries by path."""
    body = HEADER.pack(b"DIRC", 2, len(entries)) + b"".join(entries[path] for path in sorted(entries))
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


def index_entries(data: bytes) -> dict[bytes, bytes]:
    """The entries of such an index by path, each as it stands there. Raises GitError for another kind of index."""
    if data[:8] != b"DIRC\0\0\0\2":
        raise GitError("this is no index that Heal wrote; create the base again")
    return dict(_entries(data))


def _entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = HEADER.size
    for _ in range(int.from_bytes(data[8:12], "big")):
        start = at + STAT.size
        length = int.from_bytes(data[start - 2 : start], "big") & MAX_NAME
        end = start + length if length < MAX_NAME else data.index(b"\0", start)
        size = (end - at) // 8 * 8 + 8
        yield data[start:end], data[at : at + size]
        at += size
