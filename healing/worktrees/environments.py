"""Environments built by set-up steps, stored by a key of their inputs and shared by runs. Each is complete or absent.

An environment is built in the folder of its process, which a sweep removes if the process is killed, and moved here by
one rename. A lock per key, released when its process dies, lets one process build it while others wait.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from healing.files.removal import remove_tree
from healing.git.disk import size_of
from healing.git.locks import acquire, release
from healing.view import TreeView
from healing.worktrees.naming import lock_of, make_passage_folder
from healing.worktrees.session import ProcessFolder
from healing.worktrees.threads import run_to_end

FRESH = timedelta(days=1)  # after that, unpinned packages have newer releases, and CI installs those
MAX_BYTES = 20 << 30  # of all together; beyond that the least recently used are removed when another is stored
POLL_SECONDS = 0.1
MANIFEST = "environment.json"


class Environments:
    """All environments of one data folder. Each has `home`, and `files` that were written in the worktree."""

    def __init__(self, data: Path, session: ProcessFolder) -> None:
        self.folder = data / "environments"
        self.session = session
        make_passage_folder(self.folder, session.owner)

    async def hold(self, key: str, held: ExitStack) -> Path | None:
        """The environment's folder, which is not removed until `held` is closed; None if there is none."""
        folder = self.folder / key
        if not folder.is_dir():
            return None
        while (lock := acquire(lock_of(folder), shared=True, wait=False)) is None:  # noqa: ASYNC110 - of a process
            await asyncio.sleep(POLL_SECONDS)
        if not (folder / MANIFEST).is_file():  # removed in between
            release(lock)
            return None
        held.callback(release, lock)
        os.utime(folder)
        return folder

    @asynccontextmanager
    async def making(self, key: str) -> AsyncIterator[bool]:
        """Yields whether the environment has to be built; then no other process builds it during the block. Waits for a
        process that does."""
        folder = self.folder / key
        while (lock := acquire(lock_of(folder), wait=False)) is None:
            if folder.is_dir():  # locked by its users
                yield False
                return
            await asyncio.sleep(POLL_SECONDS)
        try:
            if folder.is_dir() and not _is_fresh(folder):
                await run_to_end(self._remove, folder)
            yield not folder.is_dir()
        finally:
            release(lock)

    def keep(self, key: str, made: Path, view: TreeView) -> None:
        """Moves an environment that was built on this tree to its place, in one step. Call it inside `making`. Then
        removes the least recently used ones beyond MAX_BYTES."""
        files = made / "files"
        tracked = set(view.paths())
        folders = sorted({folder for path in tracked for folder in _above(path)})
        written = {path: view.blob(path) for path in sorted(tracked) if os.path.lexists(files / path)}
        manifest = {"made": time.time(), "bytes": size_of(made), "folders": folders, "written": written}
        (made / MANIFEST).write_text(json.dumps(manifest))
        made.rename(self.folder / key)
        self._shrink(MAX_BYTES, but=key)

    def fits(self, folder: Path, view: TreeView) -> bool:
        """Whether the environment can lie as a layer between this tree and what is written over it, without hiding a
        file of the tree by one that was written for another."""
        manifest = _manifest(folder)
        known, written = set(manifest.get("folders", ())), manifest.get("written", {})
        for path in view.paths():
            place = folder / "files" / path
            if os.path.lexists(place) and written.get(path) != view.blob(path):
                return False
            new = next((at for at in _above(path) if at not in known), None)
            if new is not None and os.path.lexists(folder / "files" / new):
                return False
        return True

    def clean(self, max_age: timedelta, max_bytes: int, now: datetime) -> tuple[str, ...]:
        """Removes those not used for `max_age`, then the least recently used until the rest is within `max_bytes`.
        Those in use are kept. Returns the names of the removed ones."""
        return self._shrink(max_bytes, before=now.timestamp() - max_age.total_seconds())

    def _shrink(self, most: int, but: str = "", before: float = 0.0) -> tuple[str, ...]:
        folders = sorted((path for path in self.folder.iterdir() if path.is_dir()), key=_last_used)
        total = sum(_manifest(folder).get("bytes", 0) for folder in folders)
        removed = []
        for folder in folders:
            size = _manifest(folder).get("bytes", 0)
            if folder.name != but and (total > most or _last_used(folder) < before) and self._remove_unused(folder):
                total -= size
                removed.append(folder.name)
        return tuple(removed)

    def _remove_unused(self, folder: Path) -> bool:
        lock = acquire(lock_of(folder), wait=False)
        if lock is None:
            return False
        self._remove(folder)
        release(lock, remove=lock_of(folder))
        return True

    def _remove(self, folder: Path) -> None:
        trash = self.session.place("cleaned")
        folder.rename(trash)  # in one step: a partly removed one is never seen
        remove_tree(trash)


def _is_fresh(folder: Path) -> bool:
    return 0 <= time.time() - float(_manifest(folder).get("made", 0)) < FRESH.total_seconds()


def _manifest(folder: Path) -> dict[str, Any]:
    """The environment's manifest; empty if it is missing or unreadable."""
    with suppress(OSError, ValueError):
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
        return manifest
    return {}


def _above(path: str) -> list[str]:
    """The folders above a path, the uppermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: at + 1]) for at in range(len(parts))]


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0
