"""JSON of pull requests, their comments, reviews and review comments."""

from typing import Any

from lab.localhub import pull_heads
from lab.localhub import pulls as domain
from lab.localhub.hub import Hub
from lab.localhub.shapes import repos
from lab.localhub.shapes.people import api, app, association, user, when
from lab.localhub.state import IssueComment, Pull, Reaction, Repo, Review, ReviewComment, node_id


def api_url(hub: Hub, pull: Pull) -> str:
    """The REST URL of a pull request."""
    return f"{repos.repo_url(hub, hub.repos[pull.repo_id])}/pulls/{pull.number}"


def html_url(hub: Hub, pull: Pull) -> str:
    """The URL of a pull request's page."""
    return f"{repos.page(hub, hub.repos[pull.repo_id])}/pull/{pull.number}"


def label(hub: Hub, repo: Repo, name: str) -> dict[str, Any]:
    """A label."""
    return {
        "id": repo.labels[name],
        "node_id": node_id("LA", repo.labels[name]),
        "url": f"{repos.repo_url(hub, repo)}/labels/{name}",
        "name": name,
        "color": "ededed",
        "default": False,
        "description": "",
    }


def simple(hub: Hub, pull: Pull) -> dict[str, Any]:
    """A pull request as in lists."""
    repo = hub.repos[pull.repo_id]
    url, html, base = api_url(hub, pull), html_url(hub, pull), repos.repo_url(hub, repo)
    issue = f"{base}/issues/{pull.number}"
    links = {
        "self": url,
        "html": html,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{base}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{base}/statuses/{pull.head_sha}",
    }
    return {
        "url": url,
        "id": pull.id,
        "node_id": node_id("PR", pull.id),
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "issue_url": issue,
        **{f"{name}_url": links[name] for name in ("comments", "review_comments", "review_comment", "commits")},
        "statuses_url": links["statuses"],
        "number": pull.number,
        "state": pull.state,
        "locked": False,
        "title": pull.title,
        "user": user(hub, pull.author),
        "body": pull.body,
        "created_at": when(pull.created_at),
        "updated_at": when(pull.updated_at),
        "closed_at": when(pull.closed_at),
        "merged_at": when(pull.merged_at),
        "merge_commit_sha": pull_heads.merge_sha(hub, pull),
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [user(hub, account) for account in pull.reviewers],
        "requested_teams": [team(hub, repo, slug) for slug in pull.teams],
        "labels": [label(hub, repo, name) for name in pull.labels],
        "milestone": None,
        "draft": pull.draft,
        "head": _side(hub, pull.head_owner, pull.head_ref, pull.head_sha, hub.repos.get(pull.head_repo_id or 0)),
        "base": _side(hub, repo.owner.login, pull.base_ref, pull.base_sha, repo),
        "_links": {name: {"href": link} for name, link in links.items()},
        "author_association": association(repo, pull.author),
        "auto_merge": None,
        "active_lock_reason": None,
    }


def full(hub: Hub, pull: Pull) -> dict[str, Any]:
    """A pull request as returned for its number."""
    files = pull_heads.files(hub, pull)
    mergeable = pull_heads.merge_sha(hub, pull) is not None if pull.state == "open" else None
    return simple(hub, pull) | {
        "merged": pull.merged_at is not None,
        "mergeable": mergeable,
        "rebaseable": mergeable,
        "mergeable_state": "unknown" if mergeable is None else "clean" if mergeable else "dirty",
        "merged_by": user(hub, pull.merged_by) if pull.merged_by else None,
        "comments": len(hub.conversation(pull)),
        "review_comments": len(hub.review_comments_of(pull)),
        "maintainer_can_modify": pull.maintainer_can_modify,
        "commits": len(domain.commits(hub, pull)),
        "additions": sum(file.additions for file in files),
        "deletions": sum(file.deletions for file in files),
        "changed_files": len(files),
    }


def team(hub: Hub, repo: Repo, slug: str) -> dict[str, Any]:
    """A team of the repository's organisation."""
    url = f"{api(hub)}/organizations/{repo.owner.id}/team/{slug}"
    return {
        "id": sum(slug.encode()),
        "node_id": node_id("T", sum(slug.encode())),
        "name": slug,
        "slug": slug,
        "description": None,
        "privacy": "closed",
        "notification_setting": "notifications_enabled",
        "permission": "push",
        "type": "organization",
        "organization_id": repo.owner.id,
        "url": url,
        "html_url": f"{hub.url}/orgs/{repo.owner.login}/teams/{slug}",
        "members_url": f"{url}/members{{/member}}",
        "repositories_url": f"{url}/repos",
        "parent": None,
    }


def minimal(hub: Hub, pull: Pull) -> dict[str, Any]:
    """A pull request as in `pull_requests` of checks and workflow runs."""

    def side(repo_id: int, ref: str, sha: str) -> dict[str, Any]:
        repo = hub.repos[repo_id]
        return {"ref": ref, "sha": sha, "repo": {"id": repo.id, "url": repos.repo_url(hub, repo), "name": repo.name}}

    return {
        "id": pull.id,
        "number": pull.number,
        "url": api_url(hub, pull),
        "head": side(pull.head_repo_id or pull.repo_id, pull.head_ref, pull.head_sha),
        "base": side(pull.repo_id, pull.base_ref, pull.base_sha),
    }


def rollup(url: str, reactions: list[Reaction]) -> dict[str, Any]:
    """The counts of reactions."""
    counts = {content: sum(r.content == content for r in reactions) for content in domain.REACTIONS}
    return {"url": f"{url}/reactions", "total_count": len(reactions), **counts}


def reaction(hub: Hub, reaction: Reaction) -> dict[str, Any]:
    """A reaction."""
    return {
        "id": reaction.id,
        "node_id": node_id("REA", reaction.id),
        "user": user(hub, reaction.account),
        "content": reaction.content,
        "created_at": when(reaction.created_at),
    }


def issue_comment(hub: Hub, comment: IssueComment) -> dict[str, Any]:
    """A comment on a pull request."""
    repo = hub.repos[comment.repo_id]
    url = f"{repos.repo_url(hub, repo)}/issues/comments/{comment.id}"
    return {
        "id": comment.id,
        "node_id": node_id("IC", comment.id),
        "url": url,
        "html_url": f"{repos.page(hub, repo)}/pull/{comment.number}#issuecomment-{comment.id}",
        "issue_url": f"{repos.repo_url(hub, repo)}/issues/{comment.number}",
        "body": comment.body,
        "user": user(hub, comment.author),
        "created_at": when(comment.created_at),
        "updated_at": when(comment.updated_at),
        "author_association": association(repo, comment.author),
        "reactions": rollup(url, hub.reactions_to(comment.id)),
        "performed_via_github_app": app(hub, hub.apps[comment.app_id]) if comment.app_id else None,
    }


def issue(hub: Hub, pull: Pull) -> dict[str, Any]:
    """A pull request as an issue, for issue_comment events."""
    shape = simple(hub, pull)
    url = shape["issue_url"]
    kept = (
        "number", "title", "user", "labels", "state", "locked", "assignee", "assignees", "milestone", "created_at",
        "updated_at", "closed_at", "author_association", "active_lock_reason", "draft", "body", "html_url",
    )  # fmt: skip
    return {key: shape[key] for key in kept} | {
        "url": url,
        "repository_url": repos.repo_url(hub, hub.repos[pull.repo_id]),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "id": pull.id,
        "node_id": shape["node_id"],
        "comments": len(hub.conversation(pull)),
        "pull_request": {key: shape[key] for key in ("url", "html_url", "diff_url", "patch_url", "merged_at")},
        "reactions": rollup(url, hub.reactions_to(pull.id)),
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": None,
    }


def review(hub: Hub, review: Review) -> dict[str, Any]:
    """A review; it does not list its comments."""
    repo = hub.repos[review.repo_id]
    pull = hub.pull(repo, review.number)
    html = f"{html_url(hub, pull)}#pullrequestreview-{review.id}"
    shape = {
        "id": review.id,
        "node_id": node_id("PRR", review.id),
        "user": user(hub, review.author),
        "body": review.body,
        "state": review.state,
        "html_url": html,
        "pull_request_url": api_url(hub, pull),
        "author_association": association(repo, review.author),
        "_links": {"html": {"href": html}, "pull_request": {"href": api_url(hub, pull)}},
        "commit_id": review.commit_id,
    }
    return shape | ({"submitted_at": when(review.submitted_at)} if review.submitted_at else {})


def review_comment(hub: Hub, comment: ReviewComment) -> dict[str, Any]:
    """A comment on the diff; `line` and `position` are null once it is outdated."""
    repo = hub.repos[comment.repo_id]
    pull = hub.pull(repo, comment.number)
    url = f"{repos.repo_url(hub, repo)}/pulls/comments/{comment.id}"
    html = f"{html_url(hub, pull)}#discussion_r{comment.id}"
    position = max(comment.diff_hunk.count("\n"), 1)
    shape = {
        "url": url,
        "pull_request_review_id": comment.review_id,
        "id": comment.id,
        "node_id": node_id("PRRC", comment.id),
        "diff_hunk": comment.diff_hunk,
        "path": comment.path,
        "commit_id": comment.commit_id,
        "original_commit_id": comment.original_commit_id,
        "user": user(hub, comment.author),
        "body": comment.body,
        "created_at": when(comment.created_at),
        "updated_at": when(comment.updated_at),
        "html_url": html,
        "pull_request_url": api_url(hub, pull),
        "author_association": association(repo, comment.author),
        "_links": {
            "self": {"href": url},
            "html": {"href": html},
            "pull_request": {"href": api_url(hub, pull)},
        },
        "reactions": rollup(url, hub.reactions_to(comment.id)),
        "start_line": comment.start_line,
        "original_start_line": comment.original_start_line,
        "start_side": comment.start_side,
        "line": comment.line,
        "original_line": comment.original_line,
        "side": comment.side,
        "original_position": position,
        "position": position if comment.line or comment.subject_type == "file" else None,
        "subject_type": comment.subject_type,
    }
    return shape | ({"in_reply_to_id": comment.in_reply_to} if comment.in_reply_to else {})


def _side(hub: Hub, owner: str, ref: str, sha: str, repo: Repo | None) -> dict[str, Any]:
    return {
        "label": f"{owner}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": user(hub, hub.accounts[owner]),
        "repo": repos.full(hub, repo) if repo else None,
    }
