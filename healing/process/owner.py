"""The user that runs what comes from a repository; never root."""

import os
from dataclasses import dataclass
from pathlib import Path

DEFAULT_UID = 61184  # in a range that no distribution assigns


@dataclass(frozen=True)
class Owner:
    """The owner of worktrees and of sandboxed commands. Where None is used in its place, as on a laptop, that is the
    current user."""

    uid: int
    gid: int


def sandbox_owner() -> Owner | None:
    """The dedicated user that owns worktrees and runs sandboxed commands when Heal runs as root; None when Heal runs as
    an ordinary user. HEAL_SANDBOX_UID sets another number. Raises ValueError when that is not a valid uid other than
    root's."""
    if os.geteuid() != 0:
        return None
    setting = os.environ.get("HEAL_SANDBOX_UID", str(DEFAULT_UID))
    if not setting.isascii() or not setting.isdigit() or not 0 < int(setting) < 2**31:
        raise ValueError(
            f"HEAL_SANDBOX_UID is {setting!r}: name the number of a user other than root, such as {DEFAULT_UID}"
        )
    return Owner(uid=int(setting), gid=int(setting))


def hand_over(path: Path, owner: Owner | None) -> None:
    """Make one file or folder belong to the sandboxed user; does nothing without one."""
    if owner is not None:
        os.chown(path, owner.uid, owner.gid, follow_symlinks=False)
