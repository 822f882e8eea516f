"""File names for arbitrary names, and folders that the sandbox's user may pass through."""

import hashlib
import re
from pathlib import Path

from healing.process.owner import Owner


def safe(name: str) -> str:
    """A file name for any name; different names stay different."""
    plain = re.sub(r"[^A-Za-z0-9_-]", lambda match: f"%{ord(match.group()):02x}", name)
    return plain if len(plain) <= 150 else plain[:100] + "%" + hashlib.sha256(plain.encode()).hexdigest()[:32]


def lock_of(folder: Path) -> Path:
    """The path of the lock file beside a folder."""
    return folder.with_name(folder.name + ".lock")


def make_passage_folder(folder: Path, owner: Owner | None) -> None:
    """Makes a folder of ours that the owner may pass through but not list; without an owner, only we may."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711 if owner else 0o700)


def first_barred_folder(folder: Path, owner: Owner) -> Path | None:
    """The topmost folder on the path that this user can't pass through; None if there is none."""
    for step in reversed([folder.resolve(), *folder.resolve().parents]):
        status = step.stat()
        bit = 0o100 if status.st_uid == owner.uid else 0o010 if status.st_gid == owner.gid else 0o001
        if not status.st_mode & bit:
            return step
    return None
