"""What runs are at work on: later runs wait for earlier ones, never the other way, never for long, never for a fork."""

from bot.store.claims import CLAIM_SECONDS
from bot.store.database import Database
from bot.store.repo import RepoStore
from handlers.model import Run
from tests.bot.conftest import Clock

A, B, C = ("a" * 40, "b" * 40, "c" * 40)


async def begins(store: RepoStore, sha: str, state: str = "running") -> None:
    run = Run(
        repo_id=store.repo_id, full_name="octo/demo", installation_id=1, sha=sha, attempt=1, number=3,
        state=state,  # type: ignore[arg-type]
    )  # fmt: skip
    await store.save_run(run)


# IN-7
async def test_the_later_of_two_runs_with_one_breakage_waits_until_the_earlier_is_over(store: RepoStore) -> None:
    await begins(store, A)
    await begins(store, B)
    assert not await store.claims(A, 1).claim(("x", "y"))
    assert await store.claims(B, 1).claim(("y", "z"))
    assert not await store.claims(A, 1).claim(("x", "y", "z"))  # asked again after a crash: it goes on, z or no z
    for over in ("done", "superseded", "stopped"):
        await begins(store, A, over)
        assert not await store.claims(B, 1).claim(("y", "z"))


# IN-7
async def test_what_a_run_no_longer_works_on_nobody_waits_for(store: RepoStore) -> None:
    await begins(store, A)
    await begins(store, B)
    await store.claims(A, 1).claim(("x", "y"))
    assert await store.claims(B, 1).claim(("y",))
    await store.claims(A, 1).claim(("x",))
    assert not await store.claims(B, 1).claim(("y",))


# IN-7
async def test_other_breakages_and_other_repositories_are_not_waited_for(
    database: Database, store: RepoStore, clock: Clock
) -> None:
    await begins(store, A)
    other = RepoStore(database, 8, "octo/other", clock)
    await begins(other, B)
    await store.claims(A, 1).claim(("x",))
    assert not await store.claims(B, 1).claim(("y",))
    assert not await other.claims(B, 1).claim(("x",))


# IN-7
async def test_nobody_waits_longer_than_a_claim_stands(store: RepoStore, clock: Clock) -> None:
    await begins(store, A)
    await begins(store, B)
    await store.claims(A, 1).claim(("x",))
    clock.at += CLAIM_SECONDS - 1
    assert await store.claims(B, 1).claim(("x",))
    clock.at += 1
    assert not await store.claims(B, 1).claim(("x",))


# IN-7, IN-5
async def test_a_forks_run_waits_for_others_and_others_never_for_it(store: RepoStore) -> None:
    await begins(store, A)
    await begins(store, B)
    assert not await store.claims(B, 1, holds=False).claim(("x",))
    assert not await store.claims(A, 1).claim(("x",))
    assert await store.claims(B, 1, holds=False).claim(("x",))


# IN-7
async def test_of_three_runs_nobody_waits_in_a_circle(store: RepoStore) -> None:
    for sha in (A, B, C):
        await begins(store, sha)
    wanted = {A: ("x", "y"), B: ("y", "z"), C: ("z", "x")}
    waits = {sha: await store.claims(sha, 1).claim(breakages) for sha, breakages in wanted.items()}
    again = {sha: await store.claims(sha, 1).claim(breakages) for sha, breakages in wanted.items()}
    assert waits == again == {A: False, B: True, C: True}
