"""The folders that a program's own file names for its libraries besides the system's (RPATH, RUNPATH).

A Python whose library lies in a folder that a sandbox hides doesn't fail: it loads the system's library of the same
name, and silently becomes another version of Python.
"""

import os
import struct
from pathlib import Path

MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian: x86-64 and arm64
LOAD, DYNAMIC = 1, 2
END, STRINGS, RPATH, RUNPATH = 0, 5, 15, 29
MAX_BYTES = 1 << 20  # of the dynamic section that are read
MAX_HEADERS = 200


def library_folders(program: Path) -> tuple[Path, ...]:
    """The absolute folders that the program names; empty where it isn't such a file."""
    try:
        with program.open("rb") as file:
            return _folders_named_in(file.fileno(), program)
    except (OSError, OverflowError, struct.error, ValueError):
        return ()


def _folders_named_in(file: int, program: Path) -> tuple[Path, ...]:
    head = os.pread(file, 64, 0)
    if not head.startswith(MAGIC):
        return ()
    start, size, count = struct.unpack_from("<Q14xHH", head, 32)
    table = os.pread(file, size * min(count, MAX_HEADERS), start)
    headers = [struct.unpack_from("<I4xQQ8xQ", table, address) for address in range(0, len(table) - 39, max(size, 40))]
    dynamic = next(((offset, length) for kind, offset, _, length in headers if kind == DYNAMIC), None)
    if dynamic is None:
        return ()
    entries = os.pread(file, min(dynamic[1], MAX_BYTES), dynamic[0])
    tags: dict[int, int] = {}
    for tag, value in struct.iter_unpack("<qQ", entries[: len(entries) // 16 * 16]):
        if tag == END:
            break
        tags.setdefault(tag, value)
    strings = tags.get(STRINGS, 0)
    loaded = ((offset, address, length) for kind, offset, address, length in headers if kind == LOAD)
    place = next(
        (offset + strings - address for offset, address, length in loaded if address <= strings < address + length),
        None,
    )
    named = tags.get(RUNPATH, tags.get(RPATH))
    if place is None or named is None:
        return ()
    text = os.pread(file, 4096, place + named).split(b"\0", 1)[0]
    folders = os.fsdecode(text).replace("$ORIGIN", str(program.parent)).replace("${ORIGIN}", str(program.parent))
    return tuple(Path(os.path.normpath(folder)) for folder in folders.split(":") if folder.startswith("/"))
