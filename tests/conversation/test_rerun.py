"""A workflow run's failed jobs are run again: the next attempt of the same run, with those jobs alone."""

from lab.localhub import actions
from tests.conversation.small_repo import CI, GREEN, SHOP
from tests.world import OpenWorld

TWO_JOBS = (
    CI
    + """\
  style:
    runs-on: self-hosted
    steps:
      - uses: actions/checkout@v4
      - run: ruff format --check shop.py
"""
)
WRONG = {"shop.py": SHOP.replace("sum(prices)", "sum(prices) + 1")}


async def test_only_the_failed_job_runs_again_in_the_next_attempt_of_the_same_run(world: OpenWorld) -> None:
    async with world({**GREEN, ".github/workflows/ci.yml": TWO_JOBS}) as w:
        pr = await w.healed(WRONG)
        (run,) = [r for r in w.hub.runs.values() if r.head_sha == pr.head]
        assert [(j.name, j.conclusion) for j in actions.jobs_of(w.hub, run)] == [
            ("checks", "failure"), ("style", "success"),
        ]  # fmt: skip
        actions.restart(w.hub, run, w.hub.person("mona"), only_failed=True)
        await w.ci()
        await w.heal()
        assert (run.attempt, run.status, run.conclusion) == (2, "completed", "failure")
        assert [(j.name, j.conclusion) for j in actions.jobs_of(w.hub, run)] == [("checks", "failure")]
