"""Pushes: moving branches, with the effects on pull requests and checks."""

from collections.abc import Mapping

from lab.localhub import checks, pull_heads, repos
from lab.localhub.bare import ZERO
from lab.localhub.hub import Hub
from lab.localhub.repos import FileTree
from lab.localhub.state import Account, Refused, Repo


def commit(hub: Hub, person: str, repo: Repo, branch: str, files: FileTree, message: str = "Change things") -> str:
    """A person commits on a branch (created from the default branch if missing) and pushes. Returns the new head."""
    with hub.lock:
        bare = hub.bare(repo)
        old = bare.branch(branch)
        start = old or bare.branch(repo.default_branch)
        account = hub.person(person)
        new = repos.commit_object(hub, repo, [start] if start else [], files, message, account)
        move_branch(hub, repo, branch, new, account)
        return new


def create_branch(hub: Hub, person: str, repo: Repo, branch: str, start: str | None = None) -> str:
    """A person creates a branch at `start` (a branch or SHA; the default branch if None). Returns its head."""
    with hub.lock:
        sha = hub.bare(repo).sha(start or repo.default_branch)
        if sha is None:
            raise Refused(422, "Object does not exist")
        move_branch(hub, repo, branch, sha, hub.person(person))
        return sha


def move_branch(hub: Hub, repo: Repo, branch: str, new: str | None, sender: Account) -> None:
    """Moves a branch (None deletes it), with all effects of a push."""
    ref = f"refs/heads/{branch}"
    before = hub.bare(repo).branch(branch)
    hub.bare(repo).set_ref(ref, new)
    refs_moved(hub, repo, sender, {ref: (before, new)})


def refs_moved(hub: Hub, repo: Repo, sender: Account, moves: Mapping[str, tuple[str | None, str | None]]) -> None:
    """Handles refs that have moved: push events, pull requests with a new head or base."""
    with hub.lock:
        repo.pushed_at = hub.now()
        for ref, (before, after) in moves.items():
            if before == after:
                continue
            hub.publish("push", None, repo, sender, ref=ref, before=before or ZERO, after=after or ZERO)
            if ref.startswith("refs/heads/"):
                pull_heads.branch_moved(hub, repo, ref.removeprefix("refs/heads/"), after, sender)
                if after is not None:
                    checks.request_suites(hub, repo, after, ref.removeprefix("refs/heads/"), before, sender)
