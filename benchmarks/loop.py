"""The demo's pull request, from the first failed check's webhook to the review on its page, per phase.

Peer: the pull request's own CI on the same machine in the same run (all its jobs, one after another), because that is
what a person waits for anyway.
"""

import contextlib
import io
from datetime import datetime

from benchmarks.shape import Result
from lab.demo.stage import stage_in
from lab.demo.story import Story, heal_is_done, stored_run
from lab.localhub.scene import open_broken_pull
from lab.localhub.state import Pull


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
    assert run.outcome is not None
    whole = (posted - received).total_seconds()
    rows = [_row("the pull request's own CI (peer)", ci, ci), _row("webhook to review", whole, ci)]
    phases = run.outcome.phase_seconds
    rows += [_row(f"engine: {name}", seconds, ci) for name, seconds in phases.items()]
    engine = sum(phases.values())
    rows.append(_row("rest: quiet period, logs, git, delivery", whole - engine, ci))
    return Result("loop", seed=0, rows=rows, packages=("dulwich", "githubkit", "ruff", "pytest", "mypy", "black"))


def _row(phase: str, seconds: float, peer: float) -> dict[str, object]:
    return {"phase": phase, "seconds": round(seconds, 3), "ratio to CI": round(seconds / peer, 3)}


def _ci_seconds(story: Story) -> float:
    jobs = [job for job in story.hub.jobs.values() if job.started_at and job.completed_at]
    return (max(j.completed_at for j in jobs if j.completed_at) - min(j.created_at for j in jobs)).total_seconds()


def _first_failure(story: Story) -> datetime:
    return min(c.completed_at for c in story.hub.check_runs.values() if c.conclusion == "failure" and c.completed_at)


def _review_time(story: Story, pull: Pull) -> datetime:
    return min(review.submitted_at for review in story.hub.reviews_of(pull) if review.submitted_at)
