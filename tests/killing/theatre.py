"""Where the plays are given, one after the other: in the same folders, so that a scene can be left and resumed."""

import asyncio
import copy
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

from healing.environment.toolchain import base_environment
from healing.process.owner import sandbox_owner
from lab.localhub import apps
from tests.killing.scene import CHANGE, MAIN, Files, RecordedJob, Scene, record, set_up

TOOLS = ("toolchains", "interpreters")  # of the data folder: slow to make


@dataclass(frozen=True)
class Theatre:
    """Made once: the App's key, CI as it was recorded, and a folder that the sandbox's user can pass through.
    `programs` is what the machine of CI has, and the operator of this Heal names."""

    folder: Path
    key: str
    recorded: list[RecordedJob]
    programs: Path

    @property
    def data(self) -> Path:
        """Heal's data folder."""
        return self.folder / "data"

    def opening(self, cold: bool = False) -> Scene:
        """The first scene: a red pull request, and a Heal that knows nothing. `cold`: even its tools are not made."""
        self._clear(cold)
        scene = set_up(self.folder / "hub", self.key)
        scene.clock.stands = False
        return scene

    def leave(self) -> None:
        """Puts aside what is on the disks."""
        shutil.copytree(self.folder / "hub", self.folder / "kept" / "hub")
        shutil.copytree(self.data, self.folder / "kept" / "data", ignore=shutil.ignore_patterns(*TOOLS))
        (self.folder / "kept" / "left at").write_text(str(time.time()))

    def resume(self, scene: Scene) -> Scene:
        """The scene as it was when it was left; any number of times. Nobody may have touched `scene` since."""
        self._clear()
        shutil.copytree(self.folder / "kept" / "hub", self.folder / "hub")
        shutil.copytree(self.folder / "kept" / "data", self.data, dirs_exist_ok=True)
        self._go_on()
        return copy.deepcopy(scene, {id(scene.hub.lock): RLock()})

    def _go_on(self) -> None:
        """The time since the scene was left never passed: else its fixup pull request would have waited for CI in vain
        meanwhile."""
        passed = time.time() - float((self.folder / "kept" / "left at").read_text())
        with closing(sqlite3.connect(self.data / "heal.db")) as database, database:
            database.execute("update fixups set made_at = made_at + ?", (passed,))

    def _clear(self, cold: bool = False) -> None:
        shutil.rmtree(self.folder / "hub", ignore_errors=True)
        for path in self.data.iterdir():
            if cold or path.name not in TOOLS:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


async def programs(folder: Path) -> Path:
    """A machine's ruff and pytest, apart from those that Heal runs itself."""
    folder.mkdir(mode=0o711)
    return (await base_environment(folder, sandbox_owner())).bin


@contextmanager
def built(main: Files = MAIN, change: Files = CHANGE) -> Iterator[Theatre]:
    """A theatre, pulled down afterwards: CI is recorded on a rehearsal of the pull request that changes `main` so."""
    folder = Path(tempfile.mkdtemp(prefix="heal-theatre-"))
    folder.chmod(0o711)
    (folder / "data").mkdir(mode=0o711)
    key = apps.new_key()
    try:
        rehearsal = set_up(folder / "rehearsal", key, main, change)
        recorded = asyncio.run(record(rehearsal, folder / "data"))
        yield Theatre(folder, key, recorded, asyncio.run(programs(folder / "ci")))
    finally:
        shutil.rmtree(folder)
