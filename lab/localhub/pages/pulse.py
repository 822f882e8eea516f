"""A change token of a repository, by which an open page detects that it is out of date."""

import hashlib

from lab.localhub.hub import Hub
from lab.localhub.state import IssueComment, Repo, ReviewComment


def of(hub: Hub, repo: Repo) -> str:
    """Returns a hash of everything in a repository that its pages show."""
    seen = hashlib.sha256()
    for pull in hub.pulls_of(repo):
        seen.update(repr((pull.number, pull.state, pull.head_sha, pull.title, pull.draft)).encode())
    comments: list[IssueComment | ReviewComment] = [*hub.comments.values(), *hub.review_comments.values()]
    for comment in comments:
        if comment.repo_id == repo.id:
            seen.update(repr((comment.id, comment.updated_at, comment.deleted, comment.minimized)).encode())
    for thread in hub.threads.values():
        seen.update(repr((thread.id, thread.resolved)).encode())
    for run in hub.check_runs.values():
        if run.repo_id == repo.id:
            seen.update(repr((run.id, run.status, run.conclusion, run.title, run.summary)).encode())
    seen.update(repr((len(hub.reviews), len(hub.reactions), len(hub.statuses))).encode())
    return seen.hexdigest()[:16]
