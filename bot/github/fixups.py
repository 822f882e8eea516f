"""Fixup pull requests: a branch, one commit a proposal, a pull request; each found again after a crash (GH-5)."""

from typing import Any

from bot.github.client import RepoClient
from bot.github.comments import Comments
from bot.github.commits import Commits
from bot.github.names import path
from bot.github.once import post_once
from handlers.plans import CommitPlan, FixupPlan, Posted
from handlers.ports import HeadMoved, Refused

PREFIX = "heal/"  # we only ever make and delete branches of our own


class Fixups:
    """`author` is our own login."""

    def __init__(self, client: RepoClient, author: str) -> None:
        self._client = client
        self._author = author
        self._commits = Commits(client, author)
        self._comments = Comments(client, author)

    async def open(self, plan: FixupPlan) -> Posted:
        """The pull request with the plan's marker. Raises HeadMoved where somebody else moved the branch."""
        _own(plan.branch)
        found = await self._find(plan)
        if found is None:
            await self._branch(plan)
            await self._fill(plan)
            found = await self._request(plan)
        if plan.labels:
            labels = {"labels": list(plan.labels)}
            await self._client.write("POST", f"/issues/{found['number']}/labels", labels, repeatable=True)
        return Posted(id=found["number"], url=found.get("html_url") or "")

    async def _find(self, plan: FixupPlan) -> dict[str, Any] | None:
        head = f"{self._client.owner}:{plan.branch}"
        async for item in self._client.pages("/pulls", state="all", head=head):
            mine = (item.get("user") or {}).get("login") == self._author
            if mine and plan.marker in (item.get("body") or ""):
                found: dict[str, Any] = item
                return found
        return None

    async def _branch(self, plan: FixupPlan) -> None:
        if await self._commits.head(plan.branch) is not None:
            return
        try:
            ref = {"ref": f"refs/heads/{plan.branch}", "sha": plan.start_sha}
            await self._client.write("POST", "/git/refs", ref, repeatable=True)
        except Refused as refusal:
            if refusal.status != 422 or await self._commits.head(plan.branch) is None:
                raise  # 422 with the branch there: an earlier try had made it

    async def _fill(self, plan: FixupPlan) -> None:
        head = plan.start_sha
        for index, (headline, body, changes) in enumerate(plan.commits, 1):
            commit = CommitPlan(branch=plan.branch, expected_head=head, headline=headline, body=body, changes=changes)
            head = await self._commits.commit(commit, f"{plan.branch}#{index}")

    async def _request(self, plan: FixupPlan) -> dict[str, Any]:
        text = plan.body if plan.marker in plan.body else f"{plan.body}\n\n{plan.marker}"
        body = {"title": plan.title, "head": plan.branch, "base": plan.base_ref, "body": text}

        async def look() -> dict[str, Any] | None:
            return await self._find(plan)

        async def post() -> dict[str, Any]:
            made: dict[str, Any] = await self._client.write("POST", "/pulls", body)
            return made

        return await post_once(look, post, self._client.transport.sleep)

    async def close(self, number: int, branch: str, why: str) -> None:
        """Says why, closes the pull request and deletes its branch; what is gone already is fine."""
        _own(branch)
        found = await self._client.get(f"/pulls/{number}")
        if found is not None and found["state"] == "open":
            if found["head"]["ref"] != branch:
                raise HeadMoved(f"pull request {number} is not the one from {branch}")
            await self._comments.answer(number, "<!-- heal:v1 closed -->", why, None)
            await self._client.write("PATCH", f"/pulls/{number}", {"state": "closed"}, repeatable=True)
        try:
            await self._client.write("DELETE", f"/git/refs/heads/{path(branch)}", {}, repeatable=True)
        except Refused as refusal:
            if refusal.status not in (404, 422):
                raise


def _own(branch: str) -> None:
    if not branch.startswith(PREFIX):
        raise Refused(400, f"{branch!r} is not a branch of Heal's ({PREFIX}…); nothing was changed")
