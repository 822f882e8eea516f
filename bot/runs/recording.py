"""Records a run in one file, for a bug report: its input, the results of its durable steps, and its outcome, with
secrets masked."""

import asyncio
import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot import __version__
from bot.cluster_tasks import ORDER
from bot.secrets import hide_tokens
from handlers.errors import UserError
from healing.logs.redaction import redact, redact_bytes
from healing.model import Frozen, Outcome
from healing.pipeline.failure import Failure
from healing.steps import Json, Steps

if TYPE_CHECKING:
    from healing.git import Git

FORM = 1
BLOB = 3  # git's number for the object type blob
MAX_LOG = 4 << 20  # bytes
MAX_SIZE = 256 << 20  # bytes of an unpacked recording: the file may be untrusted


class _Given(BaseModel):
    """The input of a run, with bytes as base64."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")
    failure: Failure


def _written(failure: Failure) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(_Given(failure=failure).model_dump_json())["failure"]
    return values


def _read(document: Json) -> Failure:
    return _Given.model_validate_json(json.dumps({"failure": document})).failure


class RecordedStep(Frozen):
    """A durable step: its kind, the hash of its key, and its result as JSON."""

    kind: str
    key_hash: str
    result: str


class Recording(Frozen):
    """`failure` and `objects` (of git, in base64) are present if the code is included: then the run can be replayed.
    `models` are the settings that name models; `keyed`: whether there was a key. `masked` counts the texts in which
    something was masked; `without_code` says why the code is not included."""

    form: int = FORM
    heal: str = __version__
    run_id: str
    outcome: Outcome | None
    steps: tuple[RecordedStep, ...]
    failure: dict[str, Any] | None = None
    objects: dict[str, tuple[int, str]] = Field(default_factory=dict)
    models: dict[str, str] = Field(default_factory=dict)
    keyed: bool = False
    masked: int = 0
    without_code: str = ""

    def given(self) -> Failure | None:
        """Returns the run's input, if it is included."""
        return None if self.failure is None else _read(self.failure)


async def keep(steps: Steps, failure: Failure) -> None:
    """Stores a run's input among its steps, so that it can be exported: with logs and reports masked, and without those
    longer than MAX_LOG."""

    async def given() -> Json:
        return await asyncio.to_thread(lambda: _written(_without_secrets(failure)[0]))

    await steps.run("failure", failure.run_id, given)


def _without_secrets(failure: Failure) -> tuple[Failure, int]:
    """Masks logs and reports; also returns in how many of them something was masked."""
    masked = 0

    def clean(data: bytes | None) -> bytes | None:
        nonlocal masked
        if data is None or len(data) > MAX_LOG:
            return None
        clean_data = redact_bytes(data)
        masked += clean_data != data
        return clean_data

    jobs = tuple(replace(job, log=clean(job.log), green_log=clean(job.green_log)) for job in failure.jobs)
    reports = tuple(replace(report, data=clean(report.data) or b"") for report in failure.reports)
    return replace(failure, jobs=jobs, reports=reports), masked


class Masker:
    """Masks secrets and tokens; counts the texts that contained any."""

    def __init__(self) -> None:
        self.masked = 0

    def text(self, text: str) -> str:
        clean = redact(hide_tokens(text))
        self.masked += clean != text
        return clean

    def value(self, value: Any) -> Any:
        """Masks all strings of a JSON value except keys."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return {key: self.value(item) for key, item in value.items()} if isinstance(value, dict) else value

    def failure(self, failure: Failure) -> dict[str, Any]:
        """Masks a run's input: logs and reports as bytes, everything else as JSON."""
        clean, masked = _without_secrets(failure)
        self.masked += masked
        values = _written(clean)
        rest = self.value({key: value for key, value in values.items() if key not in ("jobs", "reports")})
        return {**values, **rest}


def record(
    run_id: str, outcome: Outcome | None, steps: Iterable[RecordedStep], git: "Git | None", **about: Any
) -> Recording:
    """Creates a recording; with `git` it includes the code, unless that contains what looks like a secret."""
    masker = Masker()
    all_steps = tuple(steps)
    stored = next((json.loads(step.result) for step in all_steps if step.kind == "failure"), None)
    given = None if stored is None else _read(stored)
    clean = tuple(
        step.model_copy(update={"result": json.dumps(masker.value(json.loads(step.result)))})
        for step in all_steps
        if step.kind not in ("failure", ORDER)  # both contain code; cluster tasks aren't needed to replay the run
    )
    ended = None if outcome is None else Outcome.model_validate(masker.value(outcome.model_dump(mode="json")))
    objects, why = _objects(git, given)
    failure = masker.failure(given) if given is not None and not why else None
    return Recording(
        run_id=run_id, outcome=ended, steps=clean, failure=failure, objects=objects, masked=masker.masked,
        without_code=why, **about,
    )  # fmt: skip


def _objects(git: "Git | None", failure: Failure | None) -> tuple[dict[str, tuple[int, str]], str]:
    if git is None:
        return {}, "it was not asked for (--code)"
    if failure is None:
        return {}, "this run was made by an older Heal, which did not keep what runs are given"
    trees = failure.trees
    named = (trees.head, trees.built, trees.target, trees.merge_base, failure.base_view_tree)
    objects = git.objects_of(dict.fromkeys(tree for tree in named if tree))
    secret = sum(kind == BLOB and redact_bytes(data) != data for kind, data in objects.values())
    if secret:
        return {}, f"{secret} files hold what looks like a secret, and a masked file is another file"
    return {sha: (kind, b64encode(data).decode()) for sha, (kind, data) in objects.items()}, ""


def write(recording: Recording, place: Path) -> None:
    """Writes the recording to a file. Raises OSError."""
    place.write_bytes(gzip.compress(recording.model_dump_json().encode()))


def read(place: Path) -> Recording:
    """Reads a recording from a file. Raises UserError if it is none."""
    try:
        with gzip.open(place) as file:
            data = file.read(MAX_SIZE + 1)
        if len(data) > MAX_SIZE:
            raise UserError(f"{place} holds more than {MAX_SIZE >> 20} MiB")
        recording = Recording.model_validate_json(data)
    except (OSError, EOFError) as error:
        raise UserError(f"{place} can't be read as a recording: {error}") from error
    except ValidationError as error:
        raise UserError(f"{place} is no recording of this form: {error.errors()[0]['msg']}") from error
    if recording.form != FORM:
        raise UserError(
            f"{place} has form {recording.form}, this Heal reads {FORM}. It was made by Heal {recording.heal}"
        )
    return recording


def unpacked(recording: Recording, git: "Git") -> None:
    """Stores the recorded code in `git`. Raises UserError if an object's content doesn't match its id."""
    for sha, (kind, text) in recording.objects.items():
        if git.add_object(kind, b64decode(text)) != sha:
            raise UserError("the recording is damaged: an object of git's has another name than its bytes")
