"""Which names in a tree are safe to write to a file system. Trees are untrusted, and such names have fooled git itself.

Refused (CVE-2014-9390 and similar): `.`, `..`, anything that some file system takes for `.git`, slashes, control
characters, and paths that are too long or too deep.
"""

import os
import re

from healing.git.errors import UnsafePath

MAX_NAME = 255
MAX_PATH = 4000
MAX_DEPTH = 100  # folders; each is open while a tree is walked
PLAIN = re.compile(rb"[A-Za-z0-9_][A-Za-z0-9_.-]{0,200}")  # nearly every name; always safe
# HFS+ ignores these inside a name, so `.g<U+200C>it` is `.git` there.
IGNORED_BY_HFS = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


def hostile_name(name: bytes) -> str | None:
    """Why this single name is refused; None if it is safe."""
    if PLAIN.fullmatch(name):
        return None
    if name in (b"", b".", b".."):
        return "is not a name"
    if b"/" in name:
        return "has a slash in its name"
    if any(byte < 0x20 or byte == 0x7F for byte in name):
        return "has control characters in its name"
    if len(name) > MAX_NAME:
        return "has a name that is too long"
    return "is taken for .git by some file systems" if is_dot_git(name) else None


def is_dot_git(name: bytes) -> bool:
    """Whether some file system takes the name for `.git`: by case, trailing dots or spaces, NTFS streams and short
    names, or invisible characters."""
    if len(name) > 64:
        return False
    text = name.decode("utf-8", "replace").translate(IGNORED_BY_HFS).casefold()
    text = text.split(":", 1)[0].rstrip(" .")
    return text == ".git" or (text.startswith("git~") and text[4:].isdigit())


def hostile_path(path: bytes) -> str | None:
    """Why this repo-relative path is refused; None if it is safe."""
    if len(path) > MAX_PATH:
        return "has a path that is too long"
    names = path.split(b"/")
    if len(names) > MAX_DEPTH:
        return "lies too deep"
    return next((why for why in map(hostile_name, names) if why), None)


def checked(path: str) -> bytes:
    """The path as bytes. Raises UnsafePath if it is hostile."""
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError as error:
        raise UnsafePath(f"{path!r} is no file name; use a path inside the repository") from error
    if why := hostile_path(raw):
        raise UnsafePath(f"{path!r} {why}; use a path inside the repository, relative to its root")
    return raw


def safe_link(target: bytes, depth: int) -> bool:
    """Whether a symlink `depth` folders below the root stays inside it, whatever other safe links the tree has.

    `..` is only allowed at the start: after a name that may itself be a link, it could climb from anywhere.
    """
    if not target or target.startswith(b"/") or b"\0" in target:
        return False
    names = [name for name in target.split(b"/") if name not in (b"", b".")]
    climbs = 0
    while climbs < len(names) and names[climbs] == b"..":
        climbs += 1
    return climbs <= depth and not any(hostile_name(name) for name in names[climbs:])
