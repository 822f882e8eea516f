"""Somebody asks for a healing: the commit's known failures go into its next attempt, with who asked and how (SC-1)."""

from handlers.ports import Run, Store, World

ASKED = "asked"  # the `source` of the row that records a person's wish among the failures
READY = "ready"  # the same for a draft that became ready: it is no command, and lifts no rule
NO_FAILURE = frozenset({ASKED, READY})
MOST_ATTEMPTS = 100


async def attempts(store: Store, sha: str) -> tuple[Run, ...]:
    """All attempts at one commit, oldest first."""
    found: list[Run] = []
    while len(found) < MOST_ATTEMPTS:
        run = await store.run(sha, len(found) + 1)
        if run is None:
            break
        found.append(run)
    return tuple(found)


async def ask_again(world: World, installation_id: int, sha: str, key: str, by: str, how: str = "") -> Run | None:
    """The attempt that was opened, or the one that is at work already; None where no failure is known.

    `key` names the wish: the same one twice opens one attempt.
    """
    return await look_again(world, installation_id, sha, key, {"source": ASKED, "by": by, "how": how})


async def look_again(world: World, installation_id: int, sha: str, key: str, row: dict[str, object]) -> Run | None:
    """Like `ask_again`, with the row that says why."""
    known = await attempts(world.store, sha)
    if not known:
        return None
    if known[-1].state == "running":
        return known[-1]
    failures = await world.store.failures(sha, known[-1].attempt)
    # The suite of a known failure, so that a commit whose suites have settled needs no quiet period.
    suite = next((failure["check_suite_id"] for failure in failures if failure.get("check_suite_id")), None)
    run = await world.store.open_attempt(key, installation_id, sha, {**row, "check_suite_id": suite})
    for index, failure in enumerate(await _failures_before(world.store, run)):
        await world.store.open_attempt(f"{key}:{index}", installation_id, sha, failure)
    await world.queue.healing(run)
    return run


async def _failures_before(store: Store, run: Run) -> tuple[dict[str, object], ...]:
    """The failures of the earlier attempts: a new one starts from all that is known to be red."""
    found: list[dict[str, object]] = []
    for attempt in range(1, run.attempt):
        for failure in await store.failures(run.sha, attempt):
            if failure.get("source") not in NO_FAILURE and failure not in found:
                found.append(failure)
    return tuple(found)


def wish_among(failures: tuple[dict[str, object], ...]) -> dict[str, object] | None:
    """The last wish recorded among an attempt's failures."""
    wishes = [failure for failure in failures if failure.get("source") == ASKED]
    return wishes[-1] if wishes else None
