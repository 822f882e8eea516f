"""Whether this process is ready: checks the database, the disk, the sandbox, and the worker's heartbeat."""

import asyncio
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from bot.store.beats import WORKER, Heartbeat, longest_silence
from bot.store.database import Database

if TYPE_CHECKING:
    from bot.runs.healers import RealHealers

MAX_SILENCE = longest_silence(WORKER)


@dataclass(frozen=True)
class Health:
    """One sentence for each part that keeps this process from working (`problems`), and for other facts (`notes`)."""

    problems: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Readiness:
    """`healers` None: this process runs no code of repositories. `works`: whether the worker is in this process. A
    process for webhooks alone is ready without a worker: stored deliveries wait, refused ones would be lost."""

    database: Database
    data: Path
    beats: Heartbeat
    healers: "RealHealers | None"
    works: bool

    async def look(self) -> Health:
        """Checks everything; takes a few seconds the first time, because the sandbox is probed."""
        try:
            async with asyncio.timeout(5), self.database.read() as connection:
                await connection.execute(text("SELECT 1"))
            worker = await self._worker()
        except (SQLAlchemyError, TimeoutError, OSError) as error:
            why = f"doesn't answer ({type(error).__name__}); is DATABASE_URL right, its disk full?"
            return Health({"database": why})
        sandbox, unsafe = await self._sandbox()
        problems = {"disk": self._disk(), "sandbox": sandbox, "worker": worker if self.works else ""}
        notes = {"sandbox": unsafe, "worker": "" if self.works else worker}
        return Health(*({part: why for part, why in parts.items() if why} for parts in (problems, notes)))

    async def _worker(self) -> str:
        silent = await self.beats.silence()
        if silent is None:
            return "no worker has run on this database yet; start one: heal worker"
        if silent > MAX_SILENCE:
            return f"has sent no heartbeat for {silent:.0f} s; see its log and start it again"
        return ""

    def _disk(self) -> str:
        from healing.worktrees import MIN_FREE

        if not self.data.exists():
            return ""
        free = shutil.disk_usage(self.data).free
        if free >= MIN_FREE:
            return ""
        return f"{free >> 20} MB are free in {self.data}, {MIN_FREE >> 20} MB are needed; try: heal clean"

    async def _sandbox(self) -> tuple[str, str]:
        """Returns why nothing can be run here, and a warning if something can."""
        from healing.git import GitError
        from healing.sandbox.none import warning_of

        if self.healers is None:
            return "", ""
        try:
            probed = await self.healers.engine().probed()
        except GitError as error:
            return str(error), ""
        if probed.sandbox is not None:
            return "", warning_of(probed.sandbox)
        tried = "; ".join(f"{t.name}: {t.why}" for t in probed.tried)
        return f"none works here ({tried}). Try: heal doctor", ""
