"""Commits through the API: signed by GitHub, only onto the head they were verified for, never twice."""

import base64
from typing import Any

from bot.github.client import RepoClient
from bot.github.names import path, segment
from bot.github.transport import Unsure
from handlers.plans import CommitPlan, FileChange
from handlers.ports import HeadMoved, Refused

TRAILER = "Heal-Id"
_COMMIT_ON_BRANCH = """
mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}"""


class Commits:
    """`author` is our own login: a stranger's commit that copies our trailer is not ours."""

    def __init__(self, client: RepoClient, author: str) -> None:
        self._client = client
        self._author = author

    async def commit(self, plan: CommitPlan, marker: str) -> str:
        """The SHA of the commit with `marker` on the branch, made now if it isn't there. Raises HeadMoved where the
        branch is not at the expected head, and Refused; then nothing was written."""
        for pause in (1.0, None):
            found = await self._find(plan, marker)
            if found is not None:
                return found
            await self._check_head(plan)
            try:
                return await self._write(plan, _message_body(plan.body, marker))
            except Unsure:
                if pause is None:
                    raise
                await self._client.transport.sleep(pause)
        raise AssertionError("the last try returns or raises")

    async def _find(self, plan: CommitPlan, marker: str) -> str | None:
        """Our commit: one of those that came after the expected head, or the head itself."""
        head = await self.head(plan.branch)
        if head is None:
            return None
        last = await self._client.get(f"/commits/{segment(head)}")
        compared = await self._client.get(f"/compare/{segment(plan.expected_head)}...{segment(head)}", per_page=100)
        for item in [last, *(compared or {}).get("commits", [])]:
            if self._is_ours(item, f"{TRAILER}: {marker}"):
                return str(item["sha"])
        return None

    def _is_ours(self, item: Any, line: str) -> bool:
        if not item or (item.get("author") or {}).get("login") != self._author:
            return False
        return line in item["commit"]["message"].splitlines()

    async def head(self, branch: str) -> str | None:
        """Where the branch is now; None where there is none."""
        found = await self._client.get(f"/git/ref/heads/{path(branch)}")
        return None if found is None else str(found["object"]["sha"])

    async def _check_head(self, plan: CommitPlan) -> None:
        now = await self.head(plan.branch)
        if now != plan.expected_head:
            raise HeadMoved(f"{plan.branch} is at {(now or 'nothing')[:8]}, not at {plan.expected_head[:8]} any more")

    async def _write(self, plan: CommitPlan, body: str) -> str:
        plain = all(change.mode == "100644" for change in plan.changes)
        try:
            return await (self._by_graphql(plan, body) if plain else self._by_objects(plan, body))
        except Refused as refusal:
            if not isinstance(refusal, Unsure) and refusal.retry_after is None:
                await self._check_head(plan)  # a moved branch explains a refusal better than GitHub's words
            raise

    async def _by_graphql(self, plan: CommitPlan, body: str) -> str:
        kept = [change for change in plan.changes if change.content is not None]
        gone = [change for change in plan.changes if change.content is None]
        changes: dict[str, Any] = {
            "additions": [{"path": change.path, "contents": change.content} for change in kept],
            "deletions": [{"path": change.path} for change in gone],
        }
        wish = {
            "branch": {"repositoryNameWithOwner": self._client.full_name, "branchName": plan.branch},
            "expectedHeadOid": plan.expected_head,
            "message": {"headline": plan.headline, "body": body},
            "fileChanges": changes,
        }
        data = await self._client.graphql(_COMMIT_ON_BRANCH, {"input": wish})
        return str(data["createCommitOnBranch"]["commit"]["oid"])

    async def _by_objects(self, plan: CommitPlan, body: str) -> str:
        """The way that keeps file modes. Objects may be made twice: nobody sees them until the branch moves."""
        parent = await self._client.get(f"/git/commits/{segment(plan.expected_head)}")
        entries = [await self._entry(change) for change in plan.changes]
        tree = await self._make("/git/trees", {"base_tree": parent["tree"]["sha"], "tree": entries})
        message = f"{plan.headline}\n\n{body}"
        made = await self._make("/git/commits", {"message": message, "tree": tree, "parents": [plan.expected_head]})
        url = f"/git/refs/heads/{path(plan.branch)}"
        await self._client.write("PATCH", url, {"sha": made, "force": False})
        return made

    async def _entry(self, change: FileChange) -> dict[str, Any]:
        entry: dict[str, Any] = {"path": change.path, "mode": change.mode, "type": "blob", "sha": None}
        if change.content is not None:
            entry["sha"] = await self._make("/git/blobs", {"content": change.content, "encoding": "base64"})
        return entry

    async def _make(self, url: str, body: dict[str, Any]) -> str:
        return str((await self._client.write("POST", url, body, repeatable=True))["sha"])


def _message_body(body: str, marker: str) -> str:
    """The body with our trailer as part of its last paragraph, where git looks for trailers."""
    line = f"{TRAILER}: {marker}"
    if line in body.splitlines():
        return body
    text = body.rstrip()
    last = text.rsplit("\n\n", 1)[-1].splitlines()
    trailers = bool(last) and all(": " in part and " " not in part.split(": ", 1)[0] for part in last)
    return f"{text}\n{line}" if trailers else f"{text}\n\n{line}".lstrip()


def content_of(data: bytes) -> str:
    """Bytes as `FileChange.content` wants them."""
    return base64.b64encode(data).decode()
