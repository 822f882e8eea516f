"""The demo's pull request, from the first failed check's webhook to the review on its page, per phase.

Peer: the pull request's own CI on the same machine in the same run (all its jobs, one after another), because that is
what a person waits for anyway.

Heal's own time begins when the last job of that CI has ended, and leaves out when at least one of the pull request's
checks ran here: those are needed to prove a fix, with any tool.
"""

import contextlib
import io
import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime

from benchmarks.shape import Goal, Result
from lab.demo.stage import stage_in
from lab.demo.story import Story, heal_is_done, stored_run
from lab.localhub.scene import open_broken_pull
from lab.localhub.state import Pull

OWN_SECONDS = 10
Interval = tuple[float, float]  # Unix times


async def measure() -> Result:
    """Seconds, and the ratio of each to the CI's own time."""
    async with stage_in() as story:
        pull = open_broken_pull(story.scene)
        await story.runner.wait()
        with contextlib.redirect_stdout(io.StringIO()):
            await heal_is_done(story, pull.head_sha)
        run = await stored_run(story, pull.head_sha)
        await story.hub.settled()
        ci, received, posted = _ci_seconds(story), _first_failure(story), _review_time(story, pull)
        red, checks = _ci_end(story), _check_intervals(story)
    assert run.outcome is not None
    whole = (posted - received).total_seconds()
    rows = [_row("the pull request's own CI (peer)", ci, ci), _row("webhook to review", whole, ci)]
    phases = run.outcome.phase_seconds
    rows += [_row(f"engine: {name}", seconds, ci) for name, seconds in phases.items()]
    engine = sum(phases.values())
    rows.append(_row("rest: quiet period, logs, git, delivery", whole - engine, ci))
    waited, in_checks = (red - received).total_seconds(), covered(checks, red.timestamp(), posted.timestamp())
    own = round(whole - waited - in_checks, 3)
    rows += [_row("until the CI's other jobs had ended", waited, ci), _row("in which checks ran", in_checks, ci)]
    rows.append(_row("Heal's own", own, ci))
    goal = Goal("Heal's own seconds from red to offered", f"<= {OWN_SECONDS}", own, own <= OWN_SECONDS)
    packages = ("dulwich", "githubkit", "ruff", "pytest", "mypy", "black")
    return Result("loop", seed=0, rows=rows, goals=[goal], packages=packages)


def covered(intervals: Iterable[Interval], start: float, end: float) -> float:
    """The seconds between `start` and `end` that at least one interval covers."""
    total, reached = 0.0, start
    for began, ended in sorted(intervals):
        low, high = max(began, reached), min(ended, end)
        if high > low:
            total, reached = total + high - low, high
    return total


def _check_intervals(story: Story) -> list[Interval]:
    """When each check ran, with its set-up: its result was stored at its end."""
    made = "select made_at, coalesce(result, body) from steps left join blobs on hash = blob"
    with contextlib.closing(sqlite3.connect(story.data / "heal.db")) as database:
        return [
            (at - json.loads(result)["whole_seconds"], at)
            for at, result in database.execute(f"{made} where kind = 'check'")
        ]


def _row(phase: str, seconds: float, peer: float) -> dict[str, object]:
    return {"phase": phase, "seconds": round(seconds, 3), "ratio to CI": round(seconds / peer, 3)}


def _ci_seconds(story: Story) -> float:
    jobs = [job for job in story.hub.jobs.values() if job.started_at and job.completed_at]
    return (max(j.completed_at for j in jobs if j.completed_at) - min(j.created_at for j in jobs)).total_seconds()


def _ci_end(story: Story) -> datetime:
    return max(job.completed_at for job in story.hub.jobs.values() if job.completed_at)


def _first_failure(story: Story) -> datetime:
    return min(c.completed_at for c in story.hub.check_runs.values() if c.conclusion == "failure" and c.completed_at)


def _review_time(story: Story, pull: Pull) -> datetime:
    return min(review.submitted_at for review in story.hub.reviews_of(pull) if review.submitted_at)
