"""Heads of pull requests: their diffs, their test merges, and what changes when a branch moves."""

from lab.localhub import diffs
from lab.localhub.bare import Bare, Signature
from lab.localhub.diffs import FileDiff, pull_diff
from lab.localhub.hub import Hub
from lab.localhub.state import Account, Pull, Repo


def files(hub: Hub, pull: Pull) -> tuple[FileDiff, ...]:
    """Returns the pull request's diff: from the merge base, with three lines of context."""
    return pull_diff(bare_of(hub, pull), base_tip(hub, pull), pull.head_sha)


def merge_sha(hub: Hub, pull: Pull) -> str | None:
    """Returns the test merge of head and base (`refs/pull/N/merge`), None on conflict."""
    return bare_of(hub, pull).sha(f"refs/pull/{pull.number}/merge") if pull.state == "open" else pull.merge_commit_sha


def refresh_merge(hub: Hub, pull: Pull) -> None:
    """Updates `refs/pull/N/head` and `refs/pull/N/merge`."""
    bare, base = bare_of(hub, pull), base_tip(hub, pull)
    bare.set_ref(f"refs/pull/{pull.number}/head", pull.head_sha)
    tree = bare.merge_tree(base, pull.head_sha)
    merge = f"refs/pull/{pull.number}/merge"
    if tree is None:
        if bare.sha(merge):
            bare.set_ref(merge, None)
        return
    who = Signature("GitHub", "noreply@github.com", hub.now())
    message = f"Merge {pull.head_sha} into {base}\n"
    bare.set_ref(merge, bare.commit(tree, [base, pull.head_sha], message, who, who))


def branch_moved(hub: Hub, repo: Repo, branch: str, new: str | None, sender: Account) -> None:
    """Updates the open pull requests from and into a branch after a push to it or its deletion."""
    for pull in [p for p in hub.pulls.values() if p.state == "open"]:
        if (pull.head_repo_id, pull.head_ref) == (repo.id, branch):
            _head_moved(hub, pull, new, sender)
        elif (pull.repo_id, pull.base_ref) == (repo.id, branch) and new is not None:
            if hub.bare(repo).is_ancestor(pull.head_sha, new):
                close(hub, pull, sender, merged=new)
            else:
                refresh_merge(hub, pull)


def close(hub: Hub, pull: Pull, account: Account, merged: str | None = None) -> None:
    """Closes the pull request, as merged if a merge commit is given."""
    pull.state, pull.closed_at = "closed", hub.now()
    if merged:
        pull.merged_at, pull.merged_by, pull.merge_commit_sha = hub.now(), account, merged
    hub.publish("pull_request", "closed", hub.repos[pull.repo_id], account, pull=pull)


def bare_of(hub: Hub, pull: Pull) -> Bare:
    """Returns the repository of the pull request's base."""
    return hub.bare(hub.repos[pull.repo_id])


def base_tip(hub: Hub, pull: Pull) -> str:
    """Returns the base branch's current head; for a closed pull request, the one at that time."""
    return (bare_of(hub, pull).branch(pull.base_ref) if pull.state == "open" else None) or pull.base_sha


def fetch_head(hub: Hub, repo: Repo, head_repo: Repo, sha: str, number: int) -> None:
    """Fetches a fork's commits to `refs/pull/N/head`."""
    if head_repo.id != repo.id:
        hub.bare(repo).git("fetch", "-q", str(head_repo.path), f"+{sha}:refs/pull/{number}/head")


def reanchor(hub: Hub, pull: Pull, files: tuple[FileDiff, ...]) -> None:
    """Moves every comment to its lines at the new head; a comment whose lines were changed becomes outdated."""
    bare = hub.bare(hub.repos[pull.repo_id])
    for made in hub.review_comments_of(pull):
        if made.line is None:
            continue
        start = made.start_line or made.line
        where = (made.path, start, made.line)
        moved = diffs.follow(bare, made.commit_id, pull.head_sha, *where) if made.side == "RIGHT" else where
        file = diffs.find(files, moved[0]) if moved else None
        hunk = file.hunk_of(made.side, moved[2]) if file and moved else None
        if moved is None or hunk is None or not hunk.holds(made.side, moved[1]):
            made.line = made.start_line = None
            continue
        made.path, made.line = moved[0], moved[2]
        made.start_line = moved[1] if made.start_line else None
        made.commit_id = pull.head_sha


def _head_moved(hub: Hub, pull: Pull, new: str | None, sender: Account) -> None:
    """Handles a new head: comments are moved or become outdated; a deleted branch closes the pull request."""
    if new is None:
        close(hub, pull, sender)
        return
    repo = hub.repos[pull.repo_id]
    if bare_of(hub, pull).is_ancestor(new, base_tip(hub, pull)):
        close(hub, pull, sender)  # a force push left no commits of its own
        return
    before, pull.head_sha = pull.head_sha, new
    fetch_head(hub, repo, hub.repos[pull.head_repo_id or 0], new, pull.number)
    pull.base_sha, pull.updated_at = base_tip(hub, pull), hub.now()
    refresh_merge(hub, pull)
    reanchor(hub, pull, files(hub, pull))
    hub.publish("pull_request", "synchronize", repo, sender, pull=pull, before=before, after=new)
