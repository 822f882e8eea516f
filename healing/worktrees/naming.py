"""File names for what has any name, and folders that the sandbox's user may pass through."""

import hashlib
import re
from pathlib import Path

from healing.process.owner import Owner


def safe(name: str) -> str:
    """A file name for this; different names stay different."""
    plain = re.sub(r"[^A-Za-z0-9_-]", lambda match: f"%{ord(match.group()):02x}", name)
    return plain if len(plain) <= 150 else plain[:100] + "%" + hashlib.sha256(plain.encode()).hexdigest()[:32]


def lock_of(folder: Path) -> Path:
    """The lock file beside a folder."""
    return folder.with_name(folder.name + ".lock")


def passage(folder: Path, owner: Owner | None) -> None:
    """A folder of ours that the owner may go through but not list."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711 if owner else 0o700)


def barred(folder: Path, owner: Owner) -> Path | None:
    """The first folder on the way that this user can't go through; None: the way is free."""
    for step in reversed([folder.resolve(), *folder.resolve().parents]):
        status = step.stat()
        bit = 0o100 if status.st_uid == owner.uid else 0o010 if status.st_gid == owner.gid else 0o001
        if not status.st_mode & bit:
            return step
    return None
