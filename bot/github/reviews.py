"""Posts one review with its suggestions, once, and reads back which comment carries which proposal (GH-1)."""

from typing import Any

from bot.github import shapes
from bot.github.client import RepoClient
from bot.github.hunks import carries
from bot.github.once import post_once
from handlers.plans import Posted, ReviewPlan, SuggestionPlan
from handlers.ports import HeadMoved, Refused


class Reviews:
    """`author` is our own login: only what we posted ourselves counts as found."""

    def __init__(self, client: RepoClient, author: str) -> None:
        self._client = client
        self._author = author

    async def post(self, plan: ReviewPlan) -> Posted:
        """The review as GitHub kept it; `extra` has proposal id → comment id. A comment that GitHub can't hold is left
        out: its proposal is then missing in `extra`. Raises HeadMoved and Refused."""

        async def look() -> Posted | None:
            return await self._find(plan)

        async def post() -> Posted:
            await self._check_head(plan)
            return await self._read_back(plan, await self._post(plan))

        return await post_once(look, post, self._client.transport.sleep, read_back=False)

    async def _find(self, plan: ReviewPlan) -> Posted | None:
        async for item in self._client.pages(f"/pulls/{plan.number}/reviews"):
            mine = (item.get("user") or {}).get("login") == self._author
            if mine and plan.marker in (item.get("body") or ""):
                return await self._read_back(plan, item)
        return None

    async def _read_back(self, plan: ReviewPlan, review: dict[str, Any]) -> Posted:
        kept: dict[str, int] = {}
        async for item in self._client.pages(f"/pulls/{plan.number}/comments"):
            if item.get("pull_request_review_id") != review["id"]:
                continue
            for wish in plan.comments:
                if wish.path == item["path"] and wish.proposal_id in (item.get("body") or ""):
                    kept[wish.proposal_id] = min(item["id"], kept.get(wish.proposal_id, item["id"]))
        return Posted(id=review["id"], url=review.get("html_url") or "", extra=kept)

    async def _check_head(self, plan: ReviewPlan) -> None:
        found = await self._client.get(f"/pulls/{plan.number}")
        if found is None:
            raise Refused(404, f"pull request {plan.number} is gone")
        if found["head"]["sha"] != plan.commit_sha:
            raise HeadMoved(f"pull request {plan.number} moved from {plan.commit_sha[:8]} before the review was posted")

    async def _post(self, plan: ReviewPlan) -> dict[str, Any]:
        try:
            return await self._send(plan, plan.comments)
        except Refused as refusal:
            good = await self._sound(plan) if refusal.status == 422 else plan.comments
            if not good or len(good) == len(plan.comments):
                raise
        return await self._send(plan, good)

    async def _sound(self, plan: ReviewPlan) -> tuple[SuggestionPlan, ...]:
        """The comments that the diff can hold as it is now: one bad one makes GitHub refuse all."""
        items = [item async for item in self._client.pages(f"/pulls/{plan.number}/files")]
        files = {item["filename"]: shapes.changed_file(item) for item in items}
        return tuple(wish for wish in plan.comments if carries(files, wish))

    async def _send(self, plan: ReviewPlan, comments: tuple[SuggestionPlan, ...]) -> dict[str, Any]:
        body = {
            "commit_id": plan.commit_sha,
            "event": "COMMENT",
            "body": plan.body if plan.marker in plan.body else f"{plan.body}\n\n{plan.marker}",
            "comments": [_comment(wish) for wish in comments],
        }
        made: dict[str, Any] = await self._client.write("POST", f"/pulls/{plan.number}/reviews", body)
        return made


def _comment(wish: SuggestionPlan) -> dict[str, Any]:
    comment: dict[str, Any] = {"path": wish.path, "body": wish.body, "line": wish.end_line, "side": "RIGHT"}
    if wish.start_line < wish.end_line:  # equal ones are refused
        comment |= {"start_line": wish.start_line, "start_side": "RIGHT"}
    return comment
