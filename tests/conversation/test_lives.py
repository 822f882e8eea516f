"""A run that outlives a process: what is told of it covers all its lives."""

from bot.store.attempts import ref_of
from tests.conversation.small_repo import ONE_SLIP
from tests.world import OpenWorld


# OP-3
async def test_the_time_that_a_run_took_counts_from_its_first_life(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull(ONE_SLIP)
        await w.ci()
        for received in await w.machine.work.deliveries.waiting("stored", "queued"):
            await w.machine.work.delivery(received.guid)
        run = await w.store.run(pr.head, 1)
        assert run is not None
        await w.machine.work.gather(ref_of(run), at_once=True)  # the run begins, and the process dies
        w.clock.at += 45
        await w.heal()
        done = await w.store.run(pr.head, 1)
        assert done is not None
        assert done.outcome is not None
        assert done.outcome.seconds["total"] >= 45
        check = pr.check()
        assert check is not None
        assert f"Took {done.outcome.seconds['total']:.0f} s." in (check.summary or "")
        assert (len(pr.standing()), len(pr.comments()), len(pr.reviews())) == (1, 1, 1)
