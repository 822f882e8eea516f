"""Heal's check run: one for each head SHA and external id, made once and updated in place (GH-3)."""

from typing import Any

from bot.github.client import RepoClient
from bot.github.names import segment
from bot.github.once import post_once
from handlers.plans import CheckPlan, Posted

NAME = "Heal"
_LONGEST = 65_000  # GitHub takes 65,535 characters


class Checks:
    """`slug` is the App's: only our own check runs are ours to change."""

    def __init__(self, client: RepoClient, slug: str) -> None:
        self._client = client
        self._slug = slug

    async def post(self, plan: CheckPlan) -> Posted:
        """Makes the check run or brings it to what the plan says."""
        made_now: list[int] = []

        async def look() -> dict[str, Any] | None:
            return await self._find(plan)

        async def post() -> dict[str, Any]:
            body = {**_body(plan), "head_sha": plan.sha}
            made: dict[str, Any] = await self._client.write("POST", "/check-runs", body)
            made_now.append(made["id"])
            return made

        kept = await post_once(look, post, self._client.transport.sleep)
        if kept["id"] not in made_now:
            kept = await self._client.write("PATCH", f"/check-runs/{kept['id']}", _body(plan), repeatable=True)
        return Posted(id=kept["id"], url=kept.get("html_url") or "")

    async def _find(self, plan: CheckPlan) -> dict[str, Any] | None:
        url = f"/commits/{segment(plan.sha)}/check-runs"
        async for item in self._client.pages(url, "check_runs", check_name=NAME, filter="all"):
            mine = (item.get("app") or {}).get("slug") == self._slug
            if mine and item.get("external_id") == plan.external_id:
                found: dict[str, Any] = item
                return found
        return None


def _body(plan: CheckPlan) -> dict[str, Any]:
    body: dict[str, Any] = {
        "name": NAME,
        "external_id": plan.external_id,
        "status": plan.status,
        "output": {"title": plan.title[:250], "summary": plan.summary[:_LONGEST]},
        "actions": [{"label": a, "description": b, "identifier": c} for a, b, c in plan.actions],
    }
    return {**body, "conclusion": plan.conclusion} if plan.conclusion is not None else body
