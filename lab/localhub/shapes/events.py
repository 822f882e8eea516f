"""The payload of each webhook event, rendered at the time of the event."""

from collections.abc import Callable
from typing import Any

from lab.localhub import apps
from lab.localhub.bare import ZERO, CommitInfo
from lab.localhub.hub import Hub
from lab.localhub.shapes import checks, people, pulls, repos
from lab.localhub.state import HubEvent, Installation, Repo, node_id

Subject = dict[str, Any]
PUSHED_COMMITS = 20


def payload(hub: Hub, hub_event: HubEvent, installation: Installation | None) -> dict[str, Any]:
    """Returns the payload for an App. Raises KeyError for an event that has no shape here."""
    shape: dict[str, Any] = {"action": hub_event.action} if hub_event.action else {}
    shape |= SHAPES[hub_event.event](hub, hub_event)
    repo = hub_event.repo
    if repo:
        shape.setdefault("repository", repos.full(hub, repo))
        if repo.owner.type == "Organization":
            shape["organization"] = _organization(hub, repo)
    shape["sender"] = people.user(hub, hub_event.sender)
    if installation and "installation" not in shape:
        shape["installation"] = {"id": installation.id, "node_id": node_id("I", installation.id)}
    return shape


def _push(hub: Hub, hub_event: HubEvent) -> Subject:
    repo, subject = hub_event.repo, hub_event.subject
    assert repo is not None
    bare = hub.bare(repo)
    before, after, name = subject["before"], subject["after"], subject["ref"]
    gone, new = after == ZERO, before == ZERO
    start = bare.branch(repo.default_branch) if new else before
    shas = [] if gone else bare.commits(start if start != after else None, after)[-PUSHED_COMMITS:]
    if new and start == after:
        shas = []
    repository = repos.full(hub, repo) | {
        "created_at": int(repo.created_at.timestamp()),
        "pushed_at": int(repo.pushed_at.timestamp()),
        "master_branch": repo.default_branch,
        "stargazers": 0,
    }
    return {
        "ref": name,
        "before": before,
        "after": after,
        "repository": repository,
        "pusher": {"name": hub_event.sender.login, "email": hub_event.sender.email},
        "created": new,
        "deleted": gone,
        "forced": not (new or gone or bare.is_ancestor(before, after)),
        "base_ref": None,
        "compare": f"{repos.page(hub, repo)}/compare/{before[:12]}...{after[:12]}",
        "commits": [_pushed(hub, repo, bare.info(sha)) for sha in shas],
        "head_commit": None if gone else _pushed(hub, repo, bare.info(after)),
    }


def _pushed(hub: Hub, repo: Repo, info: CommitInfo) -> Subject:
    """A commit inside a push event."""
    author = repos.account_of(hub, info.author_email, info.author_name)
    person: Subject = {"name": info.author_name, "email": info.author_email}
    files = hub.bare(repo).changed_paths(info.sha)
    return {
        "id": info.sha,
        "tree_id": info.tree,
        "distinct": True,
        "message": info.message,
        "timestamp": info.committed_at,
        "url": f"{repos.page(hub, repo)}/commit/{info.sha}",
        "author": person | ({"username": author.login} if author else {}),
        "committer": {"name": info.committer_name, "email": info.committer_email},
        "added": [path for letter, path in files if letter == "A"],
        "removed": [path for letter, path in files if letter == "D"],
        "modified": [path for letter, path in files if letter not in "AD"],
    }


def _pull_request(hub: Hub, hub_event: HubEvent) -> Subject:
    pull = hub_event.subject["pull"]
    shape: Subject = {"number": pull.number, "pull_request": pulls.full(hub, pull)}
    if "before" in hub_event.subject:
        shape |= {key: hub_event.subject[key] for key in ("before", "after")}
    if "label" in hub_event.subject and hub_event.repo:
        shape["label"] = pulls.label(hub, hub_event.repo, hub_event.subject["label"])
    if "changes" in hub_event.subject:
        shape["changes"] = hub_event.subject["changes"]
    return shape


def _changes(hub_event: HubEvent) -> Subject:
    before = hub_event.subject.get("before_body")
    return {} if before is None else {"changes": {"body": {"from": before}}}


def _issue_comment(hub: Hub, hub_event: HubEvent) -> Subject:
    subject = hub_event.subject
    shape = {"issue": pulls.issue(hub, subject["pull"]), "comment": pulls.issue_comment(hub, subject["comment"])}
    return shape | _changes(hub_event)


def _review(hub: Hub, hub_event: HubEvent) -> Subject:
    review = pulls.review(hub, hub_event.subject["review"])
    return {
        "review": review | {"state": review["state"].lower()},
        "pull_request": pulls.simple(hub, hub_event.subject["pull"]),
    }


def _review_comment(hub: Hub, hub_event: HubEvent) -> Subject:
    subject = hub_event.subject
    shape = {
        "comment": pulls.review_comment(hub, subject["comment"]),
        "pull_request": pulls.simple(hub, subject["pull"]),
    }
    return shape | _changes(hub_event)


def _thread(hub: Hub, hub_event: HubEvent) -> Subject:
    thread, pull = hub_event.subject["thread"], hub_event.subject["pull"]
    comments = [c for c in hub.review_comments_of(pull) if c.thread_id == thread.id]
    shown = [pulls.review_comment(hub, comment) for comment in comments]
    return {
        "thread": {"node_id": thread.node_id, "comments": shown},
        "pull_request": pulls.simple(hub, pull),
        "updated_at": people.when(hub.now()),
    }


def _check_run(hub: Hub, hub_event: HubEvent) -> Subject:
    shape: Subject = {"check_run": checks.check_run_event(hub, hub_event.subject["check_run"])}
    if "identifier" in hub_event.subject:
        shape["requested_action"] = {"identifier": hub_event.subject["identifier"]}
    return shape


def _check_suite(hub: Hub, hub_event: HubEvent) -> Subject:
    shape = checks.check_suite(hub, hub_event.subject["suite"])
    return {"check_suite": {key: value for key, value in shape.items() if key != "repository"}}


def _workflow_run(hub: Hub, hub_event: HubEvent) -> Subject:
    run = hub_event.subject["run"]
    return {"workflow_run": checks.workflow_run(hub, run), "workflow": checks.workflow(hub, run)}


def _workflow_job(hub: Hub, hub_event: HubEvent) -> Subject:
    return {"workflow_job": checks.job(hub, hub_event.subject["job"])}


def _status(hub: Hub, hub_event: HubEvent) -> Subject:
    repo, made = hub_event.repo, hub_event.subject["status"]
    assert repo is not None
    bare = hub.bare(repo)
    heads = {name: sha for name, sha in bare.refs("refs/heads/").items() if bare.is_ancestor(made.sha, sha)}
    shown = checks.status(hub, made)
    branches = [
        {
            "name": ref.removeprefix("refs/heads/"),
            "commit": {"sha": sha, "url": f"{repos.repo_url(hub, repo)}/commits/{sha}"},
            "protected": ref.removeprefix("refs/heads/") in repo.protected,
        }
        for ref, sha in heads.items()
    ]
    keys = ("id", "state", "context", "description", "target_url", "created_at", "updated_at", "avatar_url")
    return {key: shown[key] for key in keys} | {
        "sha": made.sha,
        "name": repo.full_name,
        "commit": repos.commit(hub, repo, bare.info(made.sha)),
        "branches": branches[:10],
    }


def _merge_group(hub: Hub, hub_event: HubEvent) -> Subject:
    repo, group = hub_event.repo, hub_event.subject["group"]
    assert repo is not None
    info = hub.bare(repo).info(group.head_sha)
    shape: Subject = {
        "merge_group": {
            "head_sha": group.head_sha,
            "head_ref": f"refs/heads/{group.branch}",
            "base_sha": group.base_sha,
            "base_ref": f"refs/heads/{group.base_ref}",
            "head_commit": repos.simple_commit(info),
        }
    }
    return shape | ({"reason": hub_event.subject["reason"]} if "reason" in hub_event.subject else {})


def _installation(hub: Hub, hub_event: HubEvent) -> Subject:
    installation = hub_event.subject["installation"]
    keys = ("id", "node_id", "name", "full_name", "private")
    listed = []
    for repo in apps.repos_of(hub, installation):
        shown = repos.minimal(hub, repo)
        listed.append({key: shown[key] for key in keys})
    return {"installation": people.installation(hub, installation), "repositories": listed}


def _organization(hub: Hub, repo: Repo) -> Subject:
    url = f"{people.api(hub)}/orgs/{repo.owner.login}"
    links = {"repos": "repos", "events": "events", "hooks": "hooks", "issues": "issues"}
    return {
        "login": repo.owner.login,
        "id": repo.owner.id,
        "node_id": node_id("O", repo.owner.id),
        "url": url,
        **{f"{name}_url": f"{url}/{path}" for name, path in links.items()},
        "members_url": f"{url}/members{{/member}}",
        "public_members_url": f"{url}/public_members{{/member}}",
        "avatar_url": f"{hub.url}/avatars/{repo.owner.login}.svg",
        "description": None,
    }


SHAPES: dict[str, Callable[[Hub, HubEvent], Subject]] = {
    "push": _push,
    "pull_request": _pull_request,
    "issue_comment": _issue_comment,
    "pull_request_review": _review,
    "pull_request_review_comment": _review_comment,
    "pull_request_review_thread": _thread,
    "check_run": _check_run,
    "check_suite": _check_suite,
    "workflow_run": _workflow_run,
    "workflow_job": _workflow_job,
    "status": _status,
    "merge_group": _merge_group,
    "installation": _installation,
}
