"""Trial branches (`heal/try/…`), on which the repository's CI tests a tree: created once, always removed."""

from dataclasses import dataclass
from typing import Any

from bot.github.client import RepoClient
from bot.github.commits import content_of
from bot.github.names import path, segment
from handlers.model import Refused

PREFIX = "heal/try/"  # no other branches are ever created, moved or removed here


@dataclass(frozen=True)
class TryPlan:
    """A commit on a branch. `tree` is its git tree id; `changes` (path → mode and bytes, None: deleted) produce it from
    the tree of `parents[0]`."""

    branch: str
    tree: str
    parents: tuple[str, ...]
    changes: dict[str, tuple[str, bytes] | None]
    message: str


class TryBranches:
    """All writes for a CI trial run. `actions` has a separate token with `actions: write`, which not every installation
    grants."""

    def __init__(self, client: RepoClient, actions: RepoClient) -> None:
        self.client = client
        self._actions = actions

    async def show(self, plan: TryPlan) -> str:
        """Returns the SHA of the commit on the branch, which is created if it doesn't exist. Raises Refused, also if
        the branch holds another tree."""
        _own(plan.branch)
        commit = await self._there(plan.branch)
        if commit is None:
            commit = await self._make(plan)
        sha, tree = commit
        if tree != plan.tree:
            raise Refused(409, f"{plan.branch} is there already and holds something else")
        return sha

    async def remove(self, branch: str) -> None:
        """Deletes the branch, if it exists. Raises Refused."""
        _own(branch)
        try:
            await self.client.write("DELETE", f"/git/refs/heads/{path(branch)}", {}, repeatable=True)
        except Refused as refusal:
            if refusal.status not in (404, 422):
                raise

    async def stop_ci(self, branch: str) -> str:
        """Cancels the branch's unfinished CI runs, which are no longer needed and cost minutes. Returns the reason if
        GitHub refuses, else an empty string. Raises Refused for a rate limit or a 5xx."""
        _own(branch)
        runs = self._actions.pages("/actions/runs", "workflow_runs", most=100, branch=branch)
        try:
            for run_id in [run["id"] async for run in runs if run.get("status") != "completed"]:
                await self._actions.write("POST", f"/actions/runs/{run_id}/cancel", {})
        except Refused as refusal:
            if refusal.retry_after is not None or refusal.status >= 500:
                raise
            return "" if refusal.status == 409 else refusal.message  # 409: it has ended meanwhile
        return ""

    async def _there(self, branch: str) -> tuple[str, str] | None:
        ref = await self.client.get(f"/git/ref/heads/{path(branch)}")
        return None if ref is None else await self._commit(str(ref["object"]["sha"]))

    async def _commit(self, sha: str) -> tuple[str, str]:
        commit = await self.client.get(f"/git/commits/{segment(sha)}")
        return sha, "" if commit is None else str(commit["tree"]["sha"])

    async def _make(self, plan: TryPlan) -> tuple[str, str]:
        """Creates the commit and its branch. Objects may be created twice: they are invisible until the branch exists,
        and only one request creates that."""
        tree = plan.tree
        if plan.changes:
            _, base = await self._commit(plan.parents[0])
            entries = [await self._entry(name, change) for name, change in sorted(plan.changes.items())]
            tree = await self._object("/git/trees", {"base_tree": base, "tree": entries})
            if tree != plan.tree:
                raise Refused(409, f"GitHub's tree is {tree[:12]}, not {plan.tree[:12]} as here; nothing was pushed")
        wish = {"message": plan.message, "tree": tree, "parents": list(plan.parents)}
        sha = await self._object("/git/commits", wish)
        try:
            ref = {"ref": f"refs/heads/{plan.branch}", "sha": sha}
            await self.client.write("POST", "/git/refs", ref, repeatable=True)
        except Refused as refusal:
            existing = await self._there(plan.branch) if refusal.status == 422 else None
            if existing is None:
                raise
            return existing  # created by an earlier attempt
        return sha, tree

    async def _entry(self, name: str, change: tuple[str, bytes] | None) -> dict[str, Any]:
        if change is None:
            return {"path": name, "mode": "100644", "type": "blob", "sha": None}
        mode, data = change
        blob = await self._object("/git/blobs", {"content": content_of(data), "encoding": "base64"})
        return {"path": name, "mode": mode, "type": "blob", "sha": blob}

    async def _object(self, url: str, body: dict[str, Any]) -> str:
        return str((await self.client.write("POST", url, body, repeatable=True))["sha"])


def _own(branch: str) -> None:
    if not branch.startswith(PREFIX):
        raise Refused(400, f"{branch!r} is not a branch for trials ({PREFIX}…); nothing was changed")
