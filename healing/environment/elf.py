"""Where a program looks for its libraries beside the system's folders, as its own file says (RPATH, RUNPATH).

A Python whose library lies in a folder that a sandbox hides doesn't fail: it takes the system's library of the same
name, and is another version of Python without a word.
"""

import os
import struct
from pathlib import Path

MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian: x86-64 and arm64
LOAD, DYNAMIC = 1, 2
END, STRINGS, RPATH, RUNPATH = 0, 5, 15, 29
MOST_BYTES = 1 << 20  # of one part that is read
MOST_HEADERS = 200


def library_folders(program: Path) -> tuple[Path, ...]:
    """The absolute folders that the program names; none where it isn't such a file."""
    try:
        with program.open("rb") as file:
            return _named(file.fileno(), program)
    except (OSError, struct.error, ValueError):
        return ()


def _named(file: int, program: Path) -> tuple[Path, ...]:
    head = os.pread(file, 64, 0)
    if not head.startswith(MAGIC):
        return ()
    start, size, count = struct.unpack_from("<Q14xHH", head, 32)
    table = os.pread(file, size * min(count, MOST_HEADERS), start)
    headers = [struct.unpack_from("<I4xQQ8xQ", table, at) for at in range(0, len(table) - 39, max(size, 40))]
    dynamic = next(((offset, length) for kind, offset, _, length in headers if kind == DYNAMIC), None)
    if dynamic is None:
        return ()
    entries = os.pread(file, min(dynamic[1], MOST_BYTES), dynamic[0])
    found: dict[int, int] = {}
    for tag, value in struct.iter_unpack("<qQ", entries[: len(entries) // 16 * 16]):
        if tag == END:
            break
        found.setdefault(tag, value)
    strings = found.get(STRINGS, 0)
    loaded = ((offset, at, length) for kind, offset, at, length in headers if kind == LOAD)
    place = next((offset + strings - at for offset, at, length in loaded if at <= strings < at + length), None)
    named = found.get(RUNPATH, found.get(RPATH))
    if place is None or named is None:
        return ()
    text = os.pread(file, 4096, place + named).split(b"\0", 1)[0]
    folders = os.fsdecode(text).replace("$ORIGIN", str(program.parent)).replace("${ORIGIN}", str(program.parent))
    return tuple(Path(os.path.normpath(one)) for one in folders.split(":") if one.startswith("/"))
