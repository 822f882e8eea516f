"""Replays a recorded run offline: every durable step returns its recorded result, without checks, network or models."""

import json
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import SecretStr

from bot.runs.engine import Engine
from bot.runs.models import Models
from bot.runs.recording import Recording, unpacked
from bot.settings import Settings
from bot.store.database import Database
from bot.store.repo import RepoStore
from handlers.errors import UserError
from healing.checks.rules import CheckRules
from healing.git import Git
from healing.llm.providers import Named
from healing.model import Outcome, content_id
from healing.pipeline.pipeline import Tools, heal
from healing.steps import Json

NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing listens there, should a request ever be sent
COMPARED = ("verdict", "errors", "causes", "clusters", "proposals", "unfixables", "resolutions", "base")


class NotRecorded(Exception):
    """The replay reached a step that was not recorded: the code between the steps has changed."""


class ReplayedSteps:
    """`healing.steps.Steps` from a recording. `missing` has the kinds of requested steps that it doesn't contain."""

    def __init__(self, recording: Recording) -> None:
        self._known = {(step.kind, step.key_hash): step.result for step in recording.steps}
        self.given = 0
        self.missing: list[str] = []

    async def run(self, kind: str, key: Json, fn: Callable[[], Awaitable[Json]]) -> Json:
        result = self._known.get((kind, content_id(kind, key, length=64)))
        if result is None:
            self.missing.append(kind)
            raise NotRecorded(f"no step {kind} like this was recorded")
        self.given += 1
        return json.loads(result)


@dataclass(frozen=True)
class Replayed:
    """The result of a replay. `differs` names the parts of the outcome that differ from the recorded one."""

    outcome: Outcome | None
    steps: int
    missing: tuple[str, ...]
    differs: tuple[str, ...]


async def replay(recording: Recording, settings: Settings) -> Replayed:
    """Replays the recording. Raises UserError if it contains no code, or if no sandbox works here (checks aren't run,
    but the checker needs one)."""
    failure = recording.given()
    if failure is None:
        raise UserError(f"the code is not in the recording: {recording.without_code}. Its story: heal replay --story")
    steps = ReplayedSteps(recording)
    engine = Engine(settings)
    try:
        await engine.need_sandbox()
        with tempfile.TemporaryDirectory(prefix="heal-replay-") as folder, Git.open(Path(folder, "code.git")) as git:
            unpacked(recording, git)
            checker = await engine.checker(failure.run_id, git, steps, failure.matchers, CheckRules(network=()))
            checker = checker and replace(checker, environment=failure.environment)
            async with (
                _store(Path(folder)) as store,
                _models(recording, settings).model_set(store, "replay", None) as model_set,
            ):
                memory = store.memory("replay", learns=False)
                tools = Tools(
                    git,
                    steps,
                    checker,
                    model_set,
                    time.monotonic,
                    _quietly,
                    memory=memory,
                    missing=_models(recording, settings).missing,
                )
                try:
                    outcome = await heal(failure, tools)
                except NotRecorded:
                    outcome = None
    finally:
        await engine.close()
    return Replayed(outcome, steps.given, tuple(steps.missing), _differs(recording.outcome, outcome))


@asynccontextmanager
async def _store(folder: Path) -> AsyncIterator[RepoStore]:
    """Opens a temporary store for the replay."""
    async with await Database.open(f"sqlite+aiosqlite:///{folder / 'heal.db'}") as database:
        yield RepoStore(database, 0, "replay", time.time)


def _models(recording: Recording, settings: Settings) -> Models:
    """Returns the models of the recorded run, with invalid keys."""
    if not recording.keyed:
        return Models(settings.model_copy(update={"anthropic_api_key": SecretStr("")}), {})
    named = {name for value in recording.models.values() for name in value.split(",") if name.strip()}
    providers = {Named.of(name.strip()).provider for name in named}
    environ = {provider.key: "offline" for provider in providers if provider.key}
    environ |= {f"{provider.name.upper()}_BASE_URL": NOWHERE for provider in providers}
    offline = {"anthropic_api_key": SecretStr("offline"), "anthropic_base_url": NOWHERE}
    return Models(settings.model_copy(update={**recording.models, **offline}), environ)


def _differs(before: Outcome | None, after: Outcome | None) -> tuple[str, ...]:
    if before is None or after is None:
        return ("outcome",) if before is not after else ()
    return tuple(part for part in COMPARED if getattr(before, part) != getattr(after, part))


async def _quietly(_sentence: str) -> None:
    pass
