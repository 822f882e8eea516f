"""Fixup pull requests: creates the branch with one commit per proposal, opens a draft, marks it ready, closes it. Every
step can be repeated after a crash."""

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

PREFIX = "heal/"  # only branches with this prefix are ever created or deleted
UNPROVEN = "heal: not yet proven"  # the label for repositories that can't have drafts
_READY = """
mutation($input: MarkPullRequestReadyForReviewInput!) {
  markPullRequestReadyForReview(input: $input) { pullRequest { isDraft } }
}"""

log = logging.getLogger("heal.github")


class Fixups:
    """`author` is our own login; the token of `teams` may request reviews from teams, if the installation grants it."""

    def __init__(self, client: RepoClient, author: str, teams: RepoClient) -> None:
        self._client = client
        self._teams = teams
        self._author = author
        self._commits = Commits(client, author)
        self._comments = Comments(client, author)

    async def open(self, plan: FixupPlan) -> Posted:
        """Returns the pull request with the plan's marker, opened if there is none. Its branch holds exactly the plan's
        commits; other commits of ours are replaced. Raises HeadMoved if somebody else pushed to it."""
        _own(plan.branch)
        head = await self._fill(plan)
        pull = await self._find(plan, head)
        if pull is None:
            pull = await self._request_or_clear(plan, head)
        await self._update_text(pull, plan)
        missing = set(plan.labels) - {label["name"] for label in pull.get("labels") or ()}
        if missing:
            await self._label(pull["number"], sorted(missing))
        return Posted(id=pull["number"], url=pull.get("html_url") or "", sha=head)

    async def _find(self, plan: FixupPlan, sha: str) -> dict[str, Any] | None:
        """Finds our pull request for the plan. A closed one counts only if its head is `sha`: otherwise the branch was
        recreated since."""
        head = f"{self._client.owner}:{plan.branch}"
        async for item in self._client.pages("/pulls", state="all", head=head):
            mine = (item.get("user") or {}).get("login") == self._author
            stands = item["state"] == "open" or item["head"]["sha"] == sha
            if mine and stands and plan.marker in (item.get("body") or ""):
                pull: dict[str, Any] = item
                return pull
        return None

    async def _fill(self, plan: FixupPlan) -> str:
        """Puts the plan's commits on the branch and returns its head. All commits are created before the branch moves:
        GitHub closes a pull request as soon as its branch has no commits of its own."""
        key = f"{plan.branch}#{content_id(plan.start_sha, [list(commit) for commit in _plain(plan)])}"
        now = await self._commits.head(plan.branch)
        if now is not None:
            last = await self._client.get(f"/commits/{segment(now)}")
            if self._commits.is_ours(last, f"{TRAILER}: {key}"):
                return now
            if not self._commits.is_ours(last):
                raise HeadMoved(f"somebody else pushed to {plan.branch}, so it stays as it is")
        head = await self._commits.chain(plan.start_sha, plan.commits, key)
        await self._move(plan.branch, head, exists=now is not None)
        return head

    async def _move(self, branch: str, sha: str, exists: bool) -> None:
        if exists:
            url = f"/git/refs/heads/{path(branch)}"
            await self._client.write("PATCH", url, {"sha": sha, "force": True}, repeatable=True)
            return
        try:
            await self._client.write("POST", "/git/refs", {"ref": f"refs/heads/{branch}", "sha": sha}, repeatable=True)
        except Refused as refusal:
            if refusal.status != 422 or await self._commits.head(branch) != sha:
                raise  # 422, but the branch is at `sha`: an attempt whose response was lost had created it

    async def _request_or_clear(self, plan: FixupPlan, sha: str) -> dict[str, Any]:
        """Opens the pull request; if GitHub refuses it, deletes the useless branch. Raises Refused."""
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
            pull: dict[str, Any] = await self._client.write("POST", "/pulls", body | {"draft": plan.draft})
            return pull

        try:
            return await post_once(look, post, self._client.transport.sleep)
        except Refused as refusal:
            if not plan.draft or refusal.status != 422 or "draft" not in (
                refusal.message.lower()
            ):  # fmt: skip
                raise
        pull = await self._request(plan.model_copy(update={"draft": False}), sha)
        await self._label(pull["number"], [UNPROVEN])
        return pull

    async def _label(self, number: int, labels: list[str]) -> None:
        await self._decorate("POST", f"/issues/{number}/labels", {"labels": labels})

    async def _decorate(self, method: str, url: str, body: dict[str, Any]) -> None:
        """Sends an optional write. If GitHub refuses it, that is only logged: the pull request exists, and treating it
        as failed would offer its fixes a second time in another way."""
        try:
            await self._client.write(method, url, body, repeatable=True)
        except Refused as refusal:
            if refusal.retry_after is not None:
                raise
            log.warning("%s %s was refused: %s", method, url, refusal)

    async def _update_text(self, pull: Mapping[str, Any], plan: FixupPlan) -> None:
        """Updates title and body if the plan has changed since the pull request was opened."""
        payload = {"title": plan.title, "body": _body(plan)}
        if any((pull.get(key) or "").replace("\r\n", "\n").strip() != text.strip() for key, text in payload.items()):
            await self._decorate("PATCH", f"/pulls/{pull['number']}", payload)

    async def ready(self, number: int, reviewers: Reviewers) -> tuple[str, ...]:
        """Marks the pull request ready and requests reviews; does nothing if it is closed. Returns the teams whose
        review could not be requested; people who can't be requested are skipped."""
        pull = await self._client.get(f"/pulls/{number}")
        if pull is None or pull["state"] != "open":
            return ()
        if pull.get("draft"):
            await self._client.graphql(_READY, {"input": {"pullRequestId": pull["node_id"]}})
        if any(label["name"] == UNPROVEN for label in pull.get("labels") or ()):
            await self._delete(f"/issues/{number}/labels/{path(UNPROVEN)}")
        asked = {person["login"] for person in pull.get("requested_reviewers") or ()} | {self._author}
        people = [login for login in reviewers.people if login not in asked]
        await _ask(self._client, number, "reviewers", people)
        known = {team["slug"] for team in pull.get("requested_teams") or ()}
        teams = [team for team in reviewers.teams if team not in known]
        if not teams or not await self._teams.granted():  # without `members: read` GitHub finds no team
            return tuple(teams)
        return await _ask(self._teams, number, "team_reviewers", teams)

    async def close(self, number: int, branch: str, why: str) -> None:
        """Comments with the reason, if GitHub allows it, closes the pull request and deletes its branch. Does nothing
        for what is closed or deleted already."""
        _own(branch)
        pull = await self._client.get(f"/pulls/{number}")
        if pull is not None and pull["state"] == "open":
            if pull["head"]["ref"] != branch:
                raise HeadMoved(f"pull request {number} is not the one from {branch}")
            with suppress_refusal():
                await self._comments.answer(number, "<!-- heal:v1 closed -->", why, None)
            await self._client.write("PATCH", f"/pulls/{number}", {"state": "closed"}, repeatable=True)
        await self._delete(f"/git/refs/heads/{path(branch)}")

    async def _delete(self, url: str) -> None:
        try:
            await self._client.write("DELETE", url, {}, repeatable=True)
        except Refused as refusal:
            if refusal.status not in (404, 422):
                raise


async def _ask(client: RepoClient, number: int, kind: str, names: list[str]) -> tuple[str, ...]:
    """Requests reviews in one request, or one by one if GitHub refuses that. Returns the names that it refused."""
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
    """Returns the plan's commits as plain values, for a content hash."""
    return [
        (head, body, [(file.path, file.content, file.mode) for file in changes]) for head, body, changes in plan.commits
    ]


def _body(plan: FixupPlan) -> str:
    return plan.body if plan.marker in plan.body else f"{plan.body}\n\n{plan.marker}"


def _own(branch: str) -> None:
    if not branch.startswith(PREFIX):
        raise Refused(400, f"{branch!r} is not a branch of Heal's ({PREFIX}…); nothing was changed")
