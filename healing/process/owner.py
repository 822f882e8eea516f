"""Who runs what comes from a repository: never root."""

import os
from dataclasses import dataclass
from pathlib import Path

DEFAULT_UID = 61184  # in a range that no distribution hands out


@dataclass(frozen=True)
class Owner:
    """Who owns worktrees and runs sandboxed commands; None on a laptop, where it is the user himself."""

    uid: int
    gid: int


def sandbox_owner() -> Owner | None:
    """The dedicated user that worktrees belong to and sandboxed commands run as when Heal is root; None when Heal is
    an ordinary user already. HEAL_SANDBOX_UID names another number. Raises ValueError when that is no such number."""
    if os.geteuid() != 0:
        return None
    named = os.environ.get("HEAL_SANDBOX_UID", str(DEFAULT_UID))
    if not named.isascii() or not named.isdigit() or not 0 < int(named) < 2**31:
        raise ValueError(
            f"HEAL_SANDBOX_UID is {named!r}: name the number of a user other than root, such as {DEFAULT_UID}"
        )
    return Owner(uid=int(named), gid=int(named))


def hand_over(path: Path, owner: Owner | None) -> None:
    """Makes one file or folder belong to the sandboxed user; nothing to do for an ordinary user."""
    if owner is not None:
        os.chown(path, owner.uid, owner.gid, follow_symlinks=False)
