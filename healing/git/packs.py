"""Keeps the packs of a store few. Each fetch brings one; each that is open takes file descriptors, of which a process
has a thousand or so, and what is not here is looked for in every one of them."""

from pathlib import Path

from dulwich.objects import ObjectID, ShaFile
from dulwich.repo import Repo

from healing.git.objects import MALFORMED

MOST = 24  # small ones
SMALL = 1 << 20  # bytes


def gather(path: Path) -> None:
    """Makes one pack of the small ones in the store at `path`, where there are many. Nobody else may fetch meanwhile;
    who reads finds everything at any time, and after a kill some of it twice."""
    small = [pack for pack in (path / "objects" / "pack").glob("pack-*.pack") if pack.stat().st_size < SMALL]
    if len(small) <= MOST:
        return
    try:
        kept = _gathered(path, {pack.stem for pack in small})
    except (*MALFORMED, KeyError, OSError):
        # A damaged one, or a full disk: all stays as it is, and readers get an error.
        return
    for old in small:
        if old.stem != kept:
            old.unlink(missing_ok=True)
            old.with_suffix(".idx").unlink(missing_ok=True)


def _gathered(path: Path, names: set[str]) -> str:
    """The name of the pack that has all that these have."""
    objects: dict[ObjectID, ShaFile] = {}
    with Repo(str(path), bare=True) as repo:
        for pack in repo.object_store.packs:
            if f"pack-{pack.name().decode()}" in names:
                objects.update((one.id, one) for one in pack.iterobjects())
        made = repo.object_store.add_objects([(one, None) for one in objects.values()])
        if made is None:
            raise KeyError(path)
        return f"pack-{made.name().decode()}"
