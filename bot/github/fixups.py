"""Fixup pull requests: a branch, one commit a proposal, a draft that becomes ready, an end; each step is found again
after a crash."""

import logging
from collections.abc import Mapping
from typing import Any

from bot.github.client import RepoClient
from bot.github.comments import Comments
from bot.github.commits import TRAILER, Commits
from bot.github.names import path, segment
from bot.github.once import post_once
from bot.github.transport import Unsure
from handlers.model import HeadMoved, Refused
from handlers.model.plans import FixupPlan, Posted, Reviewers
from handlers.model.refusal import suppress_refusal
from healing.model import content_id

PREFIX = "heal/"  # we only ever make and delete branches of our own
UNPROVEN = "heal: not yet proven"  # the label where the repository can't have drafts
_READY = """
mutation($input: MarkPullRequestReadyForReviewInput!) {
  markPullRequestReadyForReview(input: $input) { pullRequest { isDraft } }
}"""

log = logging.getLogger("heal.github")


class Fixups:
    """`author` is our own login; the token of `teams` may ask teams for reviews, where the installation grants it."""

    def __init__(self, client: RepoClient, author: str, teams: RepoClient) -> None:
        self._client = client
        self._teams = teams
        self._author = author
        self._commits = Commits(client, author)
        self._comments = Comments(client, author)

    async def open(self, plan: FixupPlan) -> Posted:
        """The pull request with the plan's marker; its branch holds the plan's commits and nothing else, also where it
        held others of ours before. Raises HeadMoved where somebody else pushed to it."""
        _own(plan.branch)
        head = await self._fill(plan)
        found = await self._find(plan, head)
        if found is None:
            found = await self._request_or_clear(plan, head)
        await self._retell(found, plan)
        missing = set(plan.labels) - {label["name"] for label in found.get("labels") or ()}
        if missing:
            await self._label(found["number"], sorted(missing))
        return Posted(id=found["number"], url=found.get("html_url") or "", sha=head)

    async def _find(self, plan: FixupPlan, sha: str) -> dict[str, Any] | None:
        """One that was closed counts where it held just this: else its branch was made again since."""
        head = f"{self._client.owner}:{plan.branch}"
        async for item in self._client.pages("/pulls", state="all", head=head):
            mine = (item.get("user") or {}).get("login") == self._author
            stands = item["state"] == "open" or item["head"]["sha"] == sha
            if mine and stands and plan.marker in (item.get("body") or ""):
                found: dict[str, Any] = item
                return found
        return None

    async def _fill(self, plan: FixupPlan) -> str:
        """The branch's head. All commits are made before the branch moves: GitHub closes a pull request whose branch
        has nothing of its own for a moment."""
        key = f"{plan.branch}#{content_id(plan.start_sha, [list(commit) for commit in _plain(plan)])}"
        now = await self._commits.head(plan.branch)
        if now is not None:
            last = await self._client.get(f"/commits/{segment(now)}")
            if self._commits.is_ours(last, f"{TRAILER}: {key}"):
                return now
            if not self._commits.is_ours(last):
                raise HeadMoved(f"somebody else pushed to {plan.branch}, so it stays as it is")
        made = await self._commits.chain(plan.start_sha, plan.commits, key)
        await self._move(plan.branch, made, exists=now is not None)
        return made

    async def _move(self, branch: str, sha: str, exists: bool) -> None:
        if exists:
            url = f"/git/refs/heads/{path(branch)}"
            await self._client.write("PATCH", url, {"sha": sha, "force": True}, repeatable=True)
            return
        try:
            await self._client.write("POST", "/git/refs", {"ref": f"refs/heads/{branch}", "sha": sha}, repeatable=True)
        except Refused as refusal:
            if refusal.status != 422 or await self._commits.head(branch) != sha:
                raise  # 422 with the branch there: a try whose answer was lost had made it

    async def _request_or_clear(self, plan: FixupPlan, sha: str) -> dict[str, Any]:
        """Where GitHub refuses the pull request, its branch is of no use to anybody. Raises Refused."""
        try:
            return await self._request(plan, sha)
        except Unsure:
            raise
        except Refused as refusal:
            if refusal.retry_after is None:
                await self._decorate("DELETE", f"/git/refs/heads/{path(plan.branch)}", {})
            raise

    async def _request(self, plan: FixupPlan, sha: str) -> dict[str, Any]:
        body = {"title": plan.title, "head": plan.branch, "base": plan.base_ref, "body": _body(plan)}

        async def look() -> dict[str, Any] | None:
            return await self._find(plan, sha)

        async def post() -> dict[str, Any]:
            made: dict[str, Any] = await self._client.write("POST", "/pulls", body | {"draft": plan.draft})
            return made

        try:
            return await post_once(look, post, self._client.transport.sleep)
        except Refused as refusal:
            if not plan.draft or refusal.status != 422 or "draft" not in (
                refusal.message.lower()
            ):  # fmt: skip
                raise
        made = await self._request(plan.model_copy(update={"draft": False}), sha)
        await self._label(made["number"], [UNPROVEN])
        return made

    async def _label(self, number: int, labels: list[str]) -> None:
        await self._decorate("POST", f"/issues/{number}/labels", {"labels": labels})

    async def _decorate(self, method: str, url: str, body: dict[str, Any]) -> None:
        """A write without which the pull request serves as well: that GitHub refuses it must not look as if there were
        none, for then its fixes would be offered in another way too."""
        try:
            await self._client.write(method, url, body, repeatable=True)
        except Refused as refusal:
            if refusal.retry_after is not None:
                raise
            log.warning("%s %s was refused: %s", method, url, refusal)

    async def _retell(self, found: Mapping[str, Any], plan: FixupPlan) -> None:
        """What it holds may have changed since it was opened."""
        payload = {"title": plan.title, "body": _body(plan)}
        if any((found.get(key) or "").replace("\r\n", "\n").strip() != text.strip() for key, text in payload.items()):
            await self._decorate("PATCH", f"/pulls/{found['number']}", payload)

    async def ready(self, number: int, reviewers: Reviewers) -> tuple[str, ...]:
        """Ends the draft and asks for reviews. People who can't be asked are left out, teams are what it gives. Nothing
        happens to a closed one."""
        found = await self._client.get(f"/pulls/{number}")
        if found is None or found["state"] != "open":
            return ()
        if found.get("draft"):
            await self._client.graphql(_READY, {"input": {"pullRequestId": found["node_id"]}})
        if any(label["name"] == UNPROVEN for label in found.get("labels") or ()):
            await self._gone(f"/issues/{number}/labels/{path(UNPROVEN)}")
        asked = {one["login"] for one in found.get("requested_reviewers") or ()} | {self._author}
        people = [login for login in reviewers.people if login not in asked]
        await _ask(self._client, number, "reviewers", people)
        known = {one["slug"] for one in found.get("requested_teams") or ()}
        teams = [team for team in reviewers.teams if team not in known]
        if not teams or not await self._teams.granted():  # GitHub finds no team for who may not read members
            return tuple(teams)
        return await _ask(self._teams, number, "team_reviewers", teams)

    async def close(self, number: int, branch: str, why: str) -> None:
        """Says why, where it may, closes the pull request and deletes its branch; what is gone already is fine."""
        _own(branch)
        found = await self._client.get(f"/pulls/{number}")
        if found is not None and found["state"] == "open":
            if found["head"]["ref"] != branch:
                raise HeadMoved(f"pull request {number} is not the one from {branch}")
            with suppress_refusal():
                await self._comments.answer(number, "<!-- heal:v1 closed -->", why, None)
            await self._client.write("PATCH", f"/pulls/{number}", {"state": "closed"}, repeatable=True)
        await self._gone(f"/git/refs/heads/{path(branch)}")

    async def _gone(self, url: str) -> None:
        try:
            await self._client.write("DELETE", url, {}, repeatable=True)
        except Refused as refusal:
            if refusal.status not in (404, 422):
                raise


async def _ask(client: RepoClient, number: int, kind: str, names: list[str]) -> tuple[str, ...]:
    """All together; where GitHub refuses one of them, one by one. Gives those that it refused."""
    if not names:
        return ()
    try:
        await client.write("POST", f"/pulls/{number}/requested_reviewers", {kind: names}, repeatable=True)
    except Refused as refusal:
        if refusal.status not in (403, 422) or refusal.retry_after is not None:
            raise
        if len(names) == 1:
            return tuple(names)
        return tuple([refused for name in names for refused in await _ask(client, number, kind, [name])])
    return ()


def _plain(plan: FixupPlan) -> list[tuple[str, str, list[tuple[str, str | None, str]]]]:
    """Its commits as plain values, to name them by their content."""
    return [
        (head, body, [(one.path, one.content, one.mode) for one in changes]) for head, body, changes in plan.commits
    ]


def _body(plan: FixupPlan) -> str:
    return plan.body if plan.marker in plan.body else f"{plan.body}\n\n{plan.marker}"


def _own(branch: str) -> None:
    if not branch.startswith(PREFIX):
        raise Refused(400, f"{branch!r} is not a branch of Heal's ({PREFIX}…); nothing was changed")
