"""Opens a clone's queue: its branches, its records in the database, its checks in the sandbox."""

import math
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from sqlalchemy.exc import SQLAlchemyError

from bot.queue_socket import worktrees
from bot.queue_socket.place import QueuePlace, make_private
from bot.queue_socket.pull_request import deliver_to_github
from bot.queue_socket.verbs import Verbs
from bot.runs.engine import Engine
from bot.settings import Settings
from bot.store.database import Database
from bot.store.merge_queue import StoredQueueRecords
from bot.store.steps import StoredSteps
from handlers.errors import UserError
from healing.checks.check import Check, CheckResult
from healing.checks.rules import CheckRules
from healing.environment.toolchain import ToolchainError
from healing.files.removal import remove_tree
from healing.git import GitError
from healing.git.branches import Branches
from healing.git.locks import acquire, release
from healing.verify.queue.merge_queue import MergeQueue
from healing.verify.queue.records import session_of
from healing.verify.queue.session import QueueLimits, Session
from healing.verify.queue.session_records import SessionRecords
from healing.verify.queue.validation import Stage, Validation


@dataclass(frozen=True)
class QueueSettings:
    """The operator's choices."""

    stages: tuple[Stage, ...] = ()
    fail_fast: bool = True
    limits: QueueLimits = field(default_factory=QueueLimits)


@asynccontextmanager
async def open_queue(place: QueuePlace, settings: Settings, wanted: QueueSettings) -> AsyncIterator[Verbs]:
    """The running queue of a clone. Raises UserError if another process serves it, or if it can't be served."""
    if place.socket.parent != place.folder:
        make_private(place.socket.parent)
    with _alone(place):
        try:
            async with (
                _database(settings) as database,
                _validation(wanted, settings, place, database) as validation,
            ):
                with Branches(place.common) as branches:
                    session_records = SessionRecords(
                        StoredQueueRecords(database, place.repo_id), time.time, wanted.limits
                    )
                    async with _running(MergeQueue(branches, session_records, validation)) as queue:
                        yield Verbs(queue, place.trees, deliver_to_github(settings, branches))
        except (GitError, ToolchainError) as error:
            raise UserError(str(error)) from error


@asynccontextmanager
async def _running(queue: MergeQueue) -> AsyncIterator[MergeQueue]:
    await queue.start()
    try:
        yield queue
    finally:
        await queue.close()


@asynccontextmanager
async def _validation(
    wanted: QueueSettings, settings: Settings, place: QueuePlace, database: Database
) -> AsyncIterator[Validation | None]:
    """Runs the stages in the sandbox; None if there are none."""
    if not wanted.stages:
        yield None
        return
    engine = Engine(settings)
    try:
        await engine.need_sandbox()
        with Branches(place.common) as branches:
            name = f"queue-{place.folder.name}"
            steps = StoredSteps(database, place.repo_id, name, time.time)
            unbounded = CheckRules(network=(), minutes=math.inf)  # a queue runs until it is stopped
            checker = await engine.checker(name, branches.git, steps, rules=unbounded)
            assert checker is not None, "need_sandbox has looked"

            async def run(check: Check, commit: str) -> CheckResult:
                return await checker.run(check, branches.git.tree_of(commit))

            yield Validation(wanted.stages, run, wanted.fail_fast)
    finally:
        await engine.close()


async def stored_sessions(place: QueuePlace, settings: Settings) -> Mapping[str, Session]:
    """The sessions in the database, for when nobody serves the queue."""
    async with _database(settings) as database:
        found = await StoredQueueRecords(database, place.repo_id).load()
    return {name: session_of(records) for name, records in found.items()}


async def sweep(place: QueuePlace, settings: Settings, seconds: float) -> tuple[str, ...]:
    """Removes the worktrees and records of sessions that ended at least `seconds` ago. Returns the names of the
    worktrees. Raises UserError while the queue is served."""
    with _alone(place):
        old = [
            session
            for session in (await stored_sessions(place, settings)).values()
            if session.verdict and session.seen_at <= time.time() - seconds
        ]
        removed: list[str] = []
        for session in old:
            home = place.trees / session.id
            for files in sorted(home.iterdir()) if home.is_dir() else ():
                if await worktrees.sweep(place.common, files):
                    removed.append(f"{session.id}/{files.name}")
            if not home.is_dir() or not any(home.iterdir()):
                remove_tree(home)
                async with _database(settings) as database:
                    await StoredQueueRecords(database, place.repo_id).forget(session.id)
        return tuple(removed)


@contextmanager
def _alone(place: QueuePlace) -> Iterator[None]:
    make_private(place.folder)
    lock = acquire(place.lock, wait=False)
    if lock is None:
        raise UserError(f"this clone's queue is being served already ({place.socket}); stop that one first")
    try:
        yield
    finally:
        release(lock)


@asynccontextmanager
async def _database(settings: Settings) -> AsyncIterator[Database]:
    try:
        async with await Database.open(settings.store_url) as database:
            yield database
    except SQLAlchemyError as error:
        why = str(error).splitlines()[0]
        raise UserError(f"Heal's database {settings.store_name} can't be used: {why}. Look at HEAL_DATA") from error
