"""Commits through the API: signed by GitHub, only onto the head for which they were verified, and never twice."""

import base64
from typing import Any

from bot.github.client import RepoClient
from bot.github.names import path, segment
from bot.github.transport import Unsure
from handlers.model import HeadMoved, Refused
from handlers.model.plans import CommitPlan, FileChange

TRAILER = "Heal-Id"
Commitlets = tuple[tuple[str, str, tuple[FileChange, ...]], ...]  # (headline, body, changes), each on top of the last
_COMMIT_ON_BRANCH = """
mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}"""


class Commits:
    """`author` is our own login: another author's commit that copies our trailer is not ours."""

    def __init__(self, client: RepoClient, author: str) -> None:
        self._client = client
        self._author = author

    async def commit(self, plan: CommitPlan, marker: str) -> str:
        """Returns the SHA of the commit with `marker` on the branch, which is created if it doesn't exist. Raises
        HeadMoved if the branch is not at the expected head, and Refused; then nothing was written."""
        for pause in (1.0, None):
            sha = await self._find(plan, marker)
            if sha is not None:
                return sha
            await self._check_head(plan)
            try:
                return await self._write(plan, _message_body(plan.body, marker))
            except Unsure:
                if pause is None:
                    raise
                await self._client.transport.sleep(pause)
        raise AssertionError("the last try returns or raises")

    async def _find(self, plan: CommitPlan, marker: str) -> str | None:
        """Finds our commit among those after the expected head, or the head itself."""
        head = await self.head(plan.branch)
        if head is None:
            return None
        last = await self._client.get(f"/commits/{segment(head)}")
        compared = await self._client.get(f"/compare/{segment(plan.expected_head)}...{segment(head)}", per_page=100)
        for item in [last, *(compared or {}).get("commits", [])]:
            if self.is_ours(item, f"{TRAILER}: {marker}"):
                return str(item["sha"])
        return None

    def is_ours(self, item: Any, line: str = "") -> bool:
        """Whether a commit (as GitHub lists it) is by us, and has `line` in its message if one is given."""
        if not item or (item.get("author") or {}).get("login") != self._author:
            return False
        return not line or line in item["commit"]["message"].splitlines()

    async def head(self, branch: str) -> str | None:
        """Returns the branch's head; None if there is no such branch."""
        ref = await self._client.get(f"/git/ref/heads/{path(branch)}")
        return None if ref is None else str(ref["object"]["sha"])

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
                await self._check_head(plan)  # a moved branch explains the refusal better than GitHub's message
            raise

    async def _by_graphql(self, plan: CommitPlan, body: str) -> str:
        kept = [change for change in plan.changes if change.content is not None]
        deleted = [change for change in plan.changes if change.content is None]
        changes: dict[str, Any] = {
            "additions": [{"path": change.path, "contents": change.content} for change in kept],
            "deletions": [{"path": change.path} for change in deleted],
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
        """Commits through the git data API, which keeps file modes. Objects may be created twice: they are invisible
        until the branch moves."""
        tree = await self._tree_of(plan.expected_head)
        sha, _ = await self._object(plan.expected_head, tree, plan.headline, body, plan.changes)
        url = f"/git/refs/heads/{path(plan.branch)}"
        await self._client.write("PATCH", url, {"sha": sha, "force": False})
        return sha

    async def chain(self, start: str, commits: Commitlets, key: str) -> str:
        """Creates commits on top of each other, on no branch yet; the last one has `key` as its trailer. Returns its
        SHA. No author is sent, since GitHub signs only commits without one."""
        head, tree = start, await self._tree_of(start)
        for index, (headline, body, changes) in enumerate(commits, 1):
            marker = key if index == len(commits) else f"{key}.{index}"
            head, tree = await self._object(head, tree, headline, _message_body(body, marker), changes)
        return head

    async def _tree_of(self, sha: str) -> str:
        """Returns the tree of a commit. Raises HeadMoved if the commit no longer exists."""
        commit = await self._client.get(f"/git/commits/{segment(sha)}")
        if commit is None:
            raise HeadMoved(f"commit {sha[:8]} is not there any more")
        return str(commit["tree"]["sha"])

    async def _object(
        self, parent: str, below: str, headline: str, body: str, changes: tuple[FileChange, ...]
    ) -> tuple[str, str]:
        """Creates a commit on top of `parent`, whose tree is `below`; returns the SHAs of the commit and its tree."""
        entries = [await self._entry(change) for change in changes]
        tree = await self._make("/git/trees", {"base_tree": below, "tree": entries})
        wish = {"message": f"{headline}\n\n{body}", "tree": tree, "parents": [parent]}
        return await self._make("/git/commits", wish), tree

    async def _entry(self, change: FileChange) -> dict[str, Any]:
        entry: dict[str, Any] = {"path": change.path, "mode": change.mode, "type": "blob", "sha": None}
        if change.content is not None:
            entry["sha"] = await self._make("/git/blobs", {"content": change.content, "encoding": "base64"})
        return entry

    async def _make(self, url: str, body: dict[str, Any]) -> str:
        return str((await self._client.write("POST", url, body, repeatable=True))["sha"])


def _message_body(body: str, marker: str) -> str:
    """Returns the body with our trailer in its last paragraph, where git expects trailers."""
    line = f"{TRAILER}: {marker}"
    if line in body.splitlines():
        return body
    text = body.rstrip()
    last = text.rsplit("\n\n", 1)[-1].splitlines()
    trailers = bool(last) and all(": " in part and " " not in part.split(": ", 1)[0] for part in last)
    return f"{text}\n{line}" if trailers else f"{text}\n\n{line}".lstrip()


def content_of(data: bytes) -> str:
    """Returns bytes encoded for `FileChange.content`."""
    return base64.b64encode(data).decode()
