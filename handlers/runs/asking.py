"""Opens further attempts on request: the commit's known failures go into its next attempt, with who asked and how."""

from typing import Literal

from handlers.model import ASKED, Context, Run, Store
from handlers.runs.check_run import announce
from healing.model import content_id
from healing.steps import Json

Answer = Literal["started", "at-work", "nothing-red"]
Kind = Literal["", "dry", "snapshots"]  # `dry`: offer nothing; `snapshots`: rewrite outdated ones
READY = "ready"  # like ASKED, but for a change of the pull request: it is no command, and lifts no skip rule
NO_FAILURE = frozenset({ASKED, READY})
ELSEWHERE = "on_base"  # marks a failure that CI saw on another tree: of its job only the command applies here
MAX_ATTEMPTS = 100


async def attempts(store: Store, sha: str) -> tuple[Run, ...]:
    """Returns all attempts at one commit, oldest first."""
    runs: list[Run] = []
    while len(runs) < MAX_ATTEMPTS:
        run = await store.run(sha, len(runs) + 1)
        if run is None:
            break
        runs.append(run)
    return tuple(runs)


async def request_attempt(
    context: Context,
    installation_id: int,
    sha: str,
    wish: str,
    by: str,
    how: str = "",
    kind: Kind = "",
    where: str = "",
) -> Answer:
    """Opens the next attempt at a person's request; `how` is a hint for the agents."""
    row: dict[str, object] = {"source": ASKED, "by": by, "how": how, "where": where, **({kind: True} if kind else {})}
    return await open_next_attempt(context, installation_id, sha, wish, row)


async def open_next_attempt(
    context: Context, installation_id: int, sha: str, wish: str, row: dict[str, object]
) -> Answer:
    """Opens the next attempt, with `row` as its reason; if that has `ELSEWHERE`, the known failures get it too. `wish`
    identifies the request: the same one, after the same number of attempts, opens only one attempt. The answer is
    decided in a durable step, before anything is done."""

    async def decide() -> Json:
        known = await attempts(context.store, sha)
        if not known:
            return ["nothing-red", 0]
        last = known[-1]
        at_work = last.state == "running" and await context.store.cancelled(sha, last.attempt) is None
        return ["at-work" if at_work else "started", len(known)]

    answer, known = await context.steps.run("look again", [wish, sha], decide)
    if answer == "started":
        await _open(context, installation_id, sha, f"{wish}:{known}", row)
    return answer  # type: ignore[no-any-return]


async def _open(context: Context, installation_id: int, sha: str, key: str, row: dict[str, object]) -> None:
    before = [
        failure
        for run in await attempts(context.store, sha)
        for failure in await context.store.failures(sha, run.attempt)
    ]
    # The suite of a known failure, so that a commit whose suites have settled needs no debounce window.
    suite = next((failure["check_suite_id"] for failure in reversed(before) if failure.get("check_suite_id")), None)
    run = await context.store.open_attempt(key, installation_id, sha, {**row, "check_suite_id": suite})
    mark = {ELSEWHERE: True} if row.get(ELSEWHERE) else {}
    for index, failure in enumerate(await _failures_before(context.store, run)):
        await context.store.open_attempt(f"{key}:{index}", installation_id, sha, {**failure, **mark})
    await context.queue.healing(run)
    await announce(context, run)


async def _failures_before(store: Store, run: Run) -> tuple[dict[str, object], ...]:
    """Returns the distinct failures of all earlier attempts, in their latest form: a new attempt starts from all known
    failures."""
    failures: dict[str, dict[str, object]] = {}
    for attempt in range(1, run.attempt):
        for failure in await store.failures(run.sha, attempt):
            if failure.get("source") not in NO_FAILURE:
                failures[content_id({**failure, ELSEWHERE: None})] = failure
    return tuple(failures.values())
