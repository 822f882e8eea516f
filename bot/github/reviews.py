"""Posts one review with its suggestions, once, and reads back which comment belongs to which proposal."""

import re
from typing import Any

from bot.github import shapes
from bot.github.client import RepoClient
from bot.github.once import PAUSES, post_once
from handlers.delivery.diff_hunks import carries
from handlers.model import HeadMoved, Refused
from handlers.model.plans import Posted, ReviewPlan, SuggestionPlan

# GitHub's messages for a comment that it can't place. Other refusals would apply to every part of the review.
_MISPLACED = re.compile(r"\b(?:line|hunk|path|diff|position|thread|suggestion)", re.IGNORECASE)

Wishes = tuple[SuggestionPlan, ...]
Made = list[tuple[dict[str, Any], Wishes]]  # each created review, and the comments sent with it


class Reviews:
    """`author` is our own login: only our own reviews count as posted."""

    def __init__(self, client: RepoClient, author: str) -> None:
        self._client = client
        self._author = author

    async def post(self, plan: ReviewPlan) -> Posted:
        """Posts the review and returns it as GitHub stored it; `extra` has proposal id → comment id. A comment that
        GitHub can't place is left out: its proposal is then missing in `extra`. Raises HeadMoved and Refused."""

        async def look() -> Posted | None:
            return await self._find(plan)

        async def post() -> Posted:
            await self._check_head(plan)
            return await self._settled(plan, await self._post(plan, plan.comments))

        return await post_once(look, post, self._client.transport.sleep, read_back=False)

    async def _find(self, plan: ReviewPlan) -> Posted | None:
        pages = self._client.pages(f"/pulls/{plan.number}/reviews")
        mine = [item async for item in pages if (item.get("user") or {}).get("login") == self._author]
        reviews = [item for item in mine if plan.marker in (item.get("body") or "")]
        return await self._read_back(plan, reviews) if reviews else None

    async def _settled(self, plan: ReviewPlan, made: Made) -> Posted:
        """Reads the review back, with retries, as GitHub's lists may lag behind."""
        sent = {wish.proposal_id for _, wishes in made for wish in wishes}
        for pause in (*PAUSES, None):
            kept = await self._read_back(plan, [review for review, _ in made])
            if pause is None or sent <= kept.extra.keys():
                return kept
            await self._client.transport.sleep(pause)
        raise AssertionError("the last look returns")

    async def _read_back(self, plan: ReviewPlan, reviews: list[dict[str, Any]]) -> Posted:
        ids = {review["id"] for review in reviews}
        kept: dict[str, int] = {}
        async for item in self._client.pages(f"/pulls/{plan.number}/comments"):
            if item.get("pull_request_review_id") not in ids:
                continue
            for wish in plan.comments:
                if wish.path == item["path"] and wish.proposal_id in (item.get("body") or ""):
                    kept[wish.proposal_id] = min(item["id"], kept.get(wish.proposal_id, item["id"]))
        return Posted(id=reviews[0]["id"], url=reviews[0].get("html_url") or "", extra=kept)

    async def _check_head(self, plan: ReviewPlan) -> None:
        pull = await self._client.get(f"/pulls/{plan.number}")
        if pull is None:
            raise Refused(404, f"pull request {plan.number} is gone")
        if pull["head"]["sha"] != plan.commit_sha:
            raise HeadMoved(f"pull request {plan.number} moved from {plan.commit_sha[:8]} before the review was posted")

    async def _post(self, plan: ReviewPlan, wishes: Wishes, checked: bool = False) -> Made:
        """Posts the comments. GitHub refuses the whole review for one bad comment: comments that the diff can't hold
        are left out first; if that isn't the cause, the halves are posted separately, so that only comments that GitHub
        really refuses are lost. Raises Refused if that is all of them."""
        try:
            return [(await self._send(plan, wishes), wishes)]
        except Refused as refusal:
            if refusal.status != 422 or (checked and len(wishes) == 1):
                raise
            placeable = wishes if checked else await self._placeable(plan, wishes)
            if placeable and len(placeable) < len(wishes):
                return await self._post(plan, placeable, checked=True)
            if not placeable or len(wishes) == 1 or not _MISPLACED.search(refusal.message):
                raise
            return await self._halves(plan, wishes, refusal)

    async def _halves(self, plan: ReviewPlan, wishes: Wishes, refusal: Refused) -> Made:
        reviews: Made = []
        for half in (wishes[: len(wishes) // 2], wishes[len(wishes) // 2 :]):
            try:
                reviews += await self._post(plan, half, checked=True) if half else []
            except Refused as again:
                if again.status != 422:
                    raise
                refusal = again
        if not reviews:
            raise refusal
        return reviews

    async def _placeable(self, plan: ReviewPlan, wishes: Wishes) -> Wishes:
        """Returns the comments that the current diff can hold."""
        items = [item async for item in self._client.pages(f"/pulls/{plan.number}/files")]
        files = {item["filename"]: shapes.changed_file(item) for item in items}
        return tuple(wish for wish in wishes if carries(files, wish))

    async def _send(self, plan: ReviewPlan, comments: Wishes) -> dict[str, Any]:
        body = {
            "commit_id": plan.commit_sha,
            "event": "COMMENT",
            "body": plan.body if plan.marker in plan.body else f"{plan.body}\n\n{plan.marker}",
            "comments": [_comment(wish) for wish in comments],
        }
        review: dict[str, Any] = await self._client.write("POST", f"/pulls/{plan.number}/reviews", body)
        return review


def _comment(wish: SuggestionPlan) -> dict[str, Any]:
    comment: dict[str, Any] = {"path": wish.path, "body": wish.body, "line": wish.end_line, "side": "RIGHT"}
    if wish.start_line < wish.end_line:  # GitHub refuses equal ones
        comment |= {"start_line": wish.start_line, "start_side": "RIGHT"}
    return comment
