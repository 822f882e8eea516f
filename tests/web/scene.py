"""Twelve weeks in the life of two repositories, always the same ones."""

from random import Random

from bot.repo_config import read_repo_config
from handlers.comments import skips
from healing.logs.flakes import RecordedOutcome
from tests.web.conftest import Stage
from tests.web.rows import outcome, pull, reported_run

WEEKS, RUNS = 12, 60
SHA = "4f1c09d2" * 5
FLAKY = (
    RecordedOutcome("tests/test_till.py::test_opens_in_time", SHA, passed=False),
    RecordedOutcome("tests/test_till.py::test_opens_in_time", SHA, passed=True),
    RecordedOutcome("tests/test_till.py::test_opens_in_time", "ee" * 20, passed=False),
)
SETTINGS = read_repo_config(b"checks: [ruff check ., pytest -q]\nnever_touch:\n  paths: [migrations/]\n").as_settings()
VERDICTS = ("healed", "healed", "healed", "partly", "not-healed", "could-not-look")


async def busy_weeks(stage: Stage, count: int = RUNS) -> None:
    """Runs at regular times; the newest is told on a page of its own, and one is at work."""
    flaky_tests, now = Random(7), stage.clock.at
    for number in range(count):
        stage.clock.at = now - WEEKS * 7 * 86_400 * (1 - number / count) + 3600
        name = flaky_tests.choice(("tally", "tally", "ledger"))
        sha = f"{flaky_tests.getrandbits(160):040x}"
        made = outcome(
            f"heal-{number:06x}",
            verdict=flaky_tests.choice(VERDICTS),
            regressions_prevented=flaky_tests.choice((0, 0, 1)),
        )
        store = stage.store(name)
        await reported_run(store, sha, 3 + number, made, took=30.0 + 90 * flaky_tests.random())
        for one in await store.proposals(3 + number):
            fate = flaky_tests.choice(("applied", "applied", "applied", "rejected", "offered"))
            if fate != "offered":
                await store.update_proposal(one, {"status": fate}, only=("offered",))  # type: ignore[typeddict-item]
    stage.clock.at = now - 400
    await reported_run(stage.store("tally"), SHA, 71, took=111.0)
    await stage.store("tally").save_test_outcomes(FLAKY)
    await stage.store("tally").save_settings(SETTINGS, "main", SHA)
    stage.clock.at = now - 4000
    run = await stage.store("tally").open_attempt("check_run:draft", 5, "cd" * 20, {"name": "checks"})
    await stage.store("tally").note_pull(pull(72, title="Try a new till", draft=True))
    stopped = {"state": "stopped", "number": 72, "reason": skips.DRAFT}
    await stage.store("tally").save_run(run.model_copy(update=stopped))
    stage.clock.at = now - 40
    store = stage.store("ledger")
    await store.open_attempt("check_run:now", 5, "ab12cd34" * 5, {"name": "checks"})
    stage.clock.at = now
