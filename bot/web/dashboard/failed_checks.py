"""The checks that failed before a run, with the way to each one's own page and log."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

MOST = 100


class StoredFailure(BaseModel):
    """What is kept of one failure that an event reported."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    source: str = ""
    name: str = ""
    check_run_id: int | None = None
    workflow_run_id: int | None = None
    pull_numbers: tuple[int, ...] = ()
    by: str = ""
    where: str = ""


@dataclass(frozen=True)
class FailedCheck:
    """`address` is on GitHub, below the repository; empty where GitHub has no page for it alone."""

    name: str
    address: str


def failures_of(bodies: Iterable[str]) -> tuple[StoredFailure, ...]:
    """As they were stored; what can't be read is left out."""
    found = []
    for body in bodies:
        try:
            found.append(StoredFailure.model_validate(json.loads(body)))
        except (ValueError, ValidationError):
            continue
    return tuple(found)


def failed_checks(failures: Iterable[StoredFailure]) -> tuple[FailedCheck, ...]:
    """Each once. The address is made of numbers alone: what a check says of itself leads nowhere."""
    checks = [FailedCheck(one.name or "check", _address(one)) for one in failures if one.source in _SOURCES]
    return tuple(dict.fromkeys(checks))[:MOST]


_SOURCES = ("check_run", "workflow_run", "status")


def _address(failure: StoredFailure) -> str:
    if failure.check_run_id and failure.workflow_run_id:
        return f"actions/runs/{failure.workflow_run_id}/job/{failure.check_run_id}"
    if failure.check_run_id:
        return f"runs/{failure.check_run_id}"  # of an Actions job, GitHub leads on to the job's log
    return f"actions/runs/{failure.workflow_run_id}" if failure.workflow_run_id else ""
