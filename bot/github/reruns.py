"""Runs the failed jobs of a workflow run again, once for each of its attempts."""

from typing import Any

from bot.github.client import RepoClient
from bot.github.once import post_once
from bot.github.transport import Unsure
from handlers.model import Refused
from healing.model import CiRun


class Reruns:
    """`client` has a token of its own for `actions: write`."""

    def __init__(self, client: RepoClient) -> None:
        self._client = client

    async def may(self) -> bool:
        """Whether the installation grants it. Raises Refused for anything else."""
        return await self._client.granted()

    async def rerun(self, ci_run: CiRun) -> str:
        """See `ports.Publisher`. The run's number of attempts is the marker that is looked for."""
        root = f"/actions/runs/{ci_run.id}"
        found: list[dict[str, Any] | None] = []

        async def look() -> dict[str, Any] | None:
            found.append(await self._client.get(root))
            run = found[-1]
            return run if run is not None and (run.get("run_attempt") or 1) > ci_run.attempt else None

        async def post() -> dict[str, Any]:
            await self._client.write("POST", f"{root}/rerun-failed-jobs", {})
            return {}

        try:
            await post_once(look, post, self._client.transport.sleep)
        except Unsure:
            raise
        except Refused as refusal:
            if refusal.retry_after is not None:
                raise
            return "" if await look() else _why(found[-1], refusal)
        return ""


def _why(run: dict[str, Any] | None, refusal: Refused) -> str:
    if run is None:
        return "GitHub no longer has CI's run."
    if run.get("status") != "completed":
        return "CI's run is still going on."
    return f"GitHub refused it: {refusal.message}"
