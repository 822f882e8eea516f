"""The trial, the operator's stop, and what ends a run's spending at once (OP-8, IN-3, SC-1)."""

import pytest

from bot.store.database import Database
from bot.store.repo import RepoStore
from bot.store.spending import Caps
from bot.store.switches import Stop
from healing.llm.budget import Budget, BudgetSpent
from healing.llm.usage_records import NoUsageRecords, SpendingLimit
from tests.bot.conftest import Clock

SHA = "a" * 40


# OP-8
async def test_a_new_repository_observes_until_somebody_switches_and_each_stands_alone(
    database: Database, clock: Clock
) -> None:
    new = RepoStore(database, 7, "octo/demo", clock, starts_on=False)
    other = RepoStore(database, 8, "octo/other", clock, starts_on=False)
    assert await new.observing()
    await new.switch(True, "maya")
    assert (await new.observing(), await other.observing()) == (False, True)
    await new.switch(False, "maya")
    assert await new.observing()
    assert not await RepoStore(database, 9, "octo/third", clock, starts_on=True).observing()
    await new.forget_repo()
    assert await new.observing()


# OP-8
async def test_a_trial_spends_a_dollar_a_day_and_the_next_day_another(store: RepoStore, clock: Clock) -> None:
    caps = Caps(run=10, pull=20, month=200, day=1.0)
    first = await store.hold_room("run-1", 1, caps)
    assert (first.dollars, first.room) == (1.0, 1.0)
    assert (await store.hold_room("run-2", 2, caps)).room == 0.0
    await store.release_room("run-1")
    await store.release_room("run-2")
    assert "daily trial" in (await store.hold_room("run-3", 3, caps)).whose
    assert store.day_began() <= clock.at < store.day_began() + 86_400


# IN-3, SC-1, OP-8
async def test_a_push_a_pause_and_the_operators_stop_end_a_runs_spending_before_the_next_call(
    database: Database, store: RepoStore, clock: Clock
) -> None:
    run = await store.open_attempt("k", 1, SHA, {})
    await store.save_run(run.model_copy(update={"number": 5, "state": "running"}))
    budget = Budget.within(
        SpendingLimit(whose="this run's", dollars=10), NoUsageRecords(), lambda: store.why_still(SHA, 1)
    )
    budget.release(await budget.reserve(0.1, 10))
    await store.pause(5, "maya")
    assert "`/heal resume`" in (await store.why_still(SHA, 1) or "")
    await store.resume(5)
    assert await store.why_still(SHA, 1) is None
    await Stop(database, clock).set("")
    assert "the operator stopped Heal everywhere" in (await store.why_still(SHA, 1) or "")
    await Stop(database, clock).lift()
    await store.supersede(5, "b" * 40)
    with pytest.raises(BudgetSpent, match="the branch changed") as caught:
        await budget.reserve(0.1, 10)
    assert caught.value.reason == "stopped", "reports don't speak of money"


# SC-1 OP-11
async def test_a_cancel_ends_a_runs_spending_and_is_not_undone_by_what_the_run_stores(store: RepoStore) -> None:
    run = await store.open_attempt("k", 1, SHA, {})
    running = run.model_copy(update={"number": 5, "state": "running", "run_id": "run-1"})
    await store.save_run(running)
    budget = Budget.within(
        SpendingLimit(whose="this run's", dollars=10), NoUsageRecords(), lambda: store.why_still(SHA, 1)
    )
    budget.release(await budget.reserve(0.1, 10))
    assert not await store.cancel(SHA, 1, "`maya` cancelled this run."), "it is at work, and ends by itself"
    await store.save_run(running)
    assert await store.cancelled(SHA, 1) == "`maya` cancelled this run."
    with pytest.raises(BudgetSpent, match="`maya` cancelled") as caught:
        await budget.reserve(0.1, 10)
    assert caught.value.reason == "stopped"


# SC-1 OP-11
@pytest.mark.parametrize("state", ["gathering", "running", "done", "superseded"])
async def test_a_run_that_nobody_works_on_is_over_by_the_cancel_and_what_is_over_stays_as_it_ended(
    store: RepoStore, state: str
) -> None:
    run = await store.open_attempt("k", 1, SHA, {})
    await store.save_run(run.model_copy(update={"number": 5, "state": state}))
    waits = state in ("gathering", "running")
    assert await store.cancel(SHA, 1, "why") == waits
    now = await store.run(SHA, 1)
    assert now is not None
    assert (now.state, now.reason) == (("stopped", "why") if waits else (state, None))
    assert await store.cancelled(SHA, 1) == ("why" if waits else None)
    assert (await store.open_attempt("k2", 1, SHA, {})).attempt == 2
    assert await store.cancelled(SHA, 2) is None
