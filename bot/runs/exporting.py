"""Finds a run in the store, of a clone or of the App, and records it."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, or_, select

from bot.runs.models import Models
from bot.runs.recording import RecordedStep, Recording, record
from bot.settings import Settings
from bot.store.database import Database
from bot.store.runs import runs
from bot.store.steps import blobs, steps
from handlers.errors import UserError
from healing.git import Git
from healing.model import Outcome
from healing.worktrees.naming import safe

MODELS = ("model", "first_model", "stronger_model", "fallback_models", "second_model")


async def export(database: Database, settings: Settings, name: str, with_code: bool) -> Recording:
    """Records the run whose id or commit begins with `name` (empty: the newest). Raises UserError, GitError."""
    row = await _run(database, name)
    recorded = await _steps(database, row.repo_id, row.run_id)
    outcome = None if row.outcome is None else Outcome.model_validate_json(row.outcome)
    about: dict[str, Any] = {
        "models": {key: getattr(settings, key) for key in MODELS},
        "keyed": not Models(settings).missing_key,
    }
    if not with_code:
        return record(row.run_id, outcome, recorded, None, **about)
    with _git(settings, row) as git:
        return record(row.run_id, outcome, recorded, git, **about)


async def _run(database: Database, name: str) -> Any:
    which: list[ColumnElement[bool]] = [runs.c.run_id.is_not(None)]
    if name:
        start = name.replace("\\", "").replace("%", "").replace("_", "")
        which.append(or_(runs.c.run_id.like(f"{start}%"), runs.c.sha.like(f"{start}%")))
    query = select(runs).where(*which).order_by(runs.c.opened_at.desc()).limit(50)
    async with database.read() as connection:
        rows = (await connection.execute(query)).all()
    if not rows:
        raise UserError(
            f"no run begins with {name!r}; give a run's id or its commit" if name else "there is no run yet"
        )
    if name and len({row.run_id for row in rows}) > 1:
        raise UserError(f"{name!r} fits {len(rows)} runs: {', '.join(str(row.run_id)[:16] for row in rows[:5])} …")
    return rows[0]


async def _steps(database: Database, repo_id: int, run_id: str) -> list[RecordedStep]:
    joined = steps.outerjoin(blobs, (blobs.c.repo_id == steps.c.repo_id) & (blobs.c.hash == steps.c.blob))
    query = select(steps.c.kind, steps.c.key_hash, steps.c.result, blobs.c.body).select_from(joined)
    mine = query.where(steps.c.repo_id == repo_id, steps.c.run_key == run_id).order_by(steps.c.made_at, steps.c.kind)
    async with database.read() as connection:
        rows = (await connection.execute(mine)).all()
    return [
        RecordedStep(kind=r.kind, key_hash=r.key_hash, result=r.result if r.result is not None else r.body.decode())
        for r in rows
    ]


@contextmanager
def _git(settings: Settings, row: Any) -> Iterator[Git]:
    """Opens the git repository with the run's code: the clone's mirror, or the worker's bare repository."""
    if row.installation_id:
        place = settings.data / "repos" / f"{row.repo_id}.git"
    else:
        root = Path(row.full_name)
        digest = hashlib.sha256(row.full_name.encode("utf-8", "surrogateescape")).hexdigest()
        place = settings.data / "mirrors" / f"{safe(f'local/{root.name}-{digest[:12]}')}.git"
    if not place.is_dir():
        raise UserError(f"the code of this run is no longer here ({place}); export it without --code")
    with Git.open(place) as git:
        yield git
