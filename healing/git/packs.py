"""Keeps the number of packs in a store small.

Every fetch adds a pack. Each open pack takes file descriptors, of which a process has about a thousand, and a lookup of
a missing object searches all of them.
"""

from pathlib import Path

from dulwich.objects import ObjectID, ShaFile
from dulwich.repo import Repo

from healing.git.objects import MALFORMED

LIMIT = 24  # small packs
SMALL = 1 << 20  # bytes


def merge_packs(path: Path) -> None:
    """Merges the small packs of the store at `path` into one if there are more than LIMIT.

    No other process may fetch meanwhile. Readers find every object at any time; after a kill, some are stored twice.
    """
    small = [pack for pack in (path / "objects" / "pack").glob("pack-*.pack") if pack.stat().st_size < SMALL]
    if len(small) <= LIMIT:
        return
    try:
        merged = _merge_packs(path, {pack.stem for pack in small})
    except (*MALFORMED, KeyError, OSError):
        # A damaged pack or a full disk: everything stays as it is, and readers get an error.
        return
    for old in small:
        if old.stem != merged:
            old.unlink(missing_ok=True)
            old.with_suffix(".idx").unlink(missing_ok=True)


def _merge_packs(path: Path, names: set[str]) -> str:
    """Writes one pack with all objects of the packs `names`; returns its name."""
    objects: dict[ObjectID, ShaFile] = {}
    with Repo(str(path), bare=True) as repo:
        for pack in repo.object_store.packs:
            if f"pack-{pack.name().decode()}" in names:
                objects.update((obj.id, obj) for obj in pack.iterobjects())
        merged = repo.object_store.add_objects([(obj, None) for obj in objects.values()])
        if merged is None:
            raise KeyError(path)
        return f"pack-{merged.name().decode()}"
