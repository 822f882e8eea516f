"""A person's request, as recorded among the failures of an attempt."""

from handlers.model import ASKED, Run, Store


def find_request(failures: tuple[dict[str, object], ...]) -> dict[str, object] | None:
    """Returns the last request recorded among an attempt's failures, or None."""
    wishes = [failure for failure in failures if failure.get("source") == ASKED]
    return wishes[-1] if wishes else None


async def is_dry_run(store: Store, run: Run) -> bool:
    """Whether the attempt was opened by a request for a dry run, which offers nothing."""
    failures = await store.failures(run.sha, run.attempt)
    return bool(failures) and failures[0].get("source") == ASKED and failures[0].get("dry") is True
