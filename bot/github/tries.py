"""Branches of Heal's own that show a tree to the repository's CI: `heal/try/…`, made once, always removed."""

from dataclasses import dataclass
from typing import Any

from bot.github.client import RepoClient
from bot.github.commits import content_of
from bot.github.names import path, segment
from handlers.model import Refused

PREFIX = "heal/try/"  # nothing else is ever made, moved or removed here


@dataclass(frozen=True)
class TryPlan:
    """A commit on a branch: `tree` is git's id of what it holds; `changes` (path → mode and bytes, None: gone) make it
    from the tree of `parents[0]`."""

    branch: str
    tree: str
    parents: tuple[str, ...]
    changes: dict[str, tuple[str, bytes] | None]
    message: str


class TryBranches:
    """All that may be written for a trial. `actions` has a token of its own for `actions: write`, which not every
    installation grants."""

    def __init__(self, client: RepoClient, actions: RepoClient) -> None:
        self.client = client
        self._actions = actions

    async def show(self, plan: TryPlan) -> str:
        """The commit on the branch, made now if it isn't there. Raises Refused, where the branch holds anything else
        too."""
        _own(plan.branch)
        there = await self._there(plan.branch)
        if there is None:
            there = await self._make(plan)
        sha, tree = there
        if tree != plan.tree:
            raise Refused(409, f"{plan.branch} is there already and holds something else")
        return sha

    async def remove(self, branch: str) -> None:
        """Deletes the branch; one that is gone is fine. Raises Refused."""
        _own(branch)
        try:
            await self.client.write("DELETE", f"/git/refs/heads/{path(branch)}", {}, repeatable=True)
        except Refused as refusal:
            if refusal.status not in (404, 422):
                raise

    async def stop_ci(self, branch: str) -> str:
        """Cancels CI's runs on the branch that still go on: nobody waits for them any more, and they cost minutes.
        Gives why not, where they can't be; nothing where none goes on. Raises Refused for a rate limit."""
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
        found = await self.client.get(f"/git/ref/heads/{path(branch)}")
        return None if found is None else await self._commit(str(found["object"]["sha"]))

    async def _commit(self, sha: str) -> tuple[str, str]:
        commit = await self.client.get(f"/git/commits/{segment(sha)}")
        return sha, "" if commit is None else str(commit["tree"]["sha"])

    async def _make(self, plan: TryPlan) -> tuple[str, str]:
        """Objects may be made twice: nobody sees them until the branch is there, and only one call makes that."""
        tree = plan.tree
        if plan.changes:
            _, base = await self._commit(plan.parents[0])
            entries = [await self._entry(name, change) for name, change in sorted(plan.changes.items())]
            tree = await self._object("/git/trees", {"base_tree": base, "tree": entries})
            if tree != plan.tree:
                raise Refused(409, f"GitHub's tree is {tree[:12]}, not {plan.tree[:12]} as here; nothing was pushed")
        wish = {"message": plan.message, "tree": tree, "parents": list(plan.parents)}
        made = await self._object("/git/commits", wish)
        try:
            ref = {"ref": f"refs/heads/{plan.branch}", "sha": made}
            await self.client.write("POST", "/git/refs", ref, repeatable=True)
        except Refused as refusal:
            there = await self._there(plan.branch) if refusal.status == 422 else None
            if there is None:
                raise
            return there  # an earlier try had made it
        return made, tree

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
