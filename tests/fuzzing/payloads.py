"""Payloads to start from: one of every kind of event that Heal hears, with the fields that GitHub sends."""

from typing import Any

REPO = {
    "id": 7,
    "name": "demo",
    "full_name": "octo/demo",
    "private": False,
    "default_branch": "main",
    "owner": {"login": "octo", "id": 1, "type": "Organization"},
}
BASE: dict[str, Any] = {
    "repository": REPO,
    "sender": {"login": "mona", "id": 2, "type": "User"},
    "installation": {"id": 5, "node_id": "x"},
}
SHA = "a" * 40
PULL = {
    "number": 3,
    "state": "open",
    "draft": False,
    "title": "Change two lines",
    "body": None,
    "merged": False,
    "head": {"sha": SHA, "ref": "topic", "repo": REPO},
    "base": {"sha": "b" * 40, "ref": "main", "repo": REPO},
    "user": BASE["sender"],
    "labels": [{"name": "bug"}],
}
CHECK = {
    "id": 31,
    "name": "lint",
    "head_sha": SHA,
    "status": "completed",
    "conclusion": "failure",
    "external_id": "",
    "app": {"id": 9, "slug": "github-actions"},
    "check_suite": {"id": 41, "head_branch": "topic"},
    "pull_requests": [{"number": 3, "head": {"sha": SHA}, "base": {"repo": {"id": 7}}}],
}
SUITE = {"id": 41, "head_sha": SHA, "head_branch": "topic", "status": "completed", "conclusion": "failure",
         "app": {"id": 9, "slug": "github-actions"}, "pull_requests": []}  # fmt: skip
WORKFLOW = {"id": 51, "name": "CI", "head_sha": SHA, "head_branch": "topic", "event": "pull_request", "run_attempt": 1,
            "status": "completed", "conclusion": "failure", "check_suite_id": 41, "pull_requests": []}  # fmt: skip
COMMENT = {
    "id": 61,
    "body": "/heal apply all\n```\n/heal no\n```",
    "user": BASE["sender"],
    "author_association": "NONE",
}
PULL_KEYS = ("opened", "reopened", "synchronize", "ready_for_review", "converted_to_draft", "edited", "labeled",
             "unlabeled", "closed")  # fmt: skip


def payloads() -> list[tuple[str, dict[str, Any]]]:
    """(event, payload) of every kind."""
    found: list[tuple[str, dict[str, Any]]] = [
        ("check_run", {"action": "completed", "check_run": CHECK}),
        ("check_run", {"action": "rerequested", "check_run": CHECK}),
        ("check_run", {"action": "requested_action", "check_run": CHECK, "requested_action": {"identifier": "apply"}}),
        ("check_suite", {"action": "completed", "check_suite": SUITE}),
        ("check_suite", {"action": "rerequested", "check_suite": SUITE}),
        ("workflow_run", {"action": "completed", "workflow_run": WORKFLOW, "workflow": {"path": ".github/ci.yml"}}),
        ("status", {"id": 71, "sha": SHA, "state": "failure", "context": "ci/x", "branches": [{"name": "topic"}]}),
        ("push", {"ref": "refs/heads/topic", "before": "b" * 40, "after": SHA, "commits": [], "forced": False}),
        ("issue_comment", {"action": "created", "comment": COMMENT, "issue": {"number": 3, "pull_request": {}}}),
        ("pull_request_review", {"action": "submitted", "review": COMMENT, "pull_request": PULL}),
        ("pull_request_review_comment",
         {"action": "created", "comment": {**COMMENT, "in_reply_to_id": 60, "path": "a.py"}, "pull_request": PULL}),
        ("pull_request_review_thread", {"action": "resolved", "thread": {"comments": [COMMENT]}, "pull_request": PULL}),
        ("merge_group", {"action": "checks_requested", "merge_group": {"head_sha": SHA, "head_ref": "q"}}),
        ("installation", {"action": "created", "repositories": [REPO]}),
        ("installation", {"action": "deleted", "repositories": [REPO]}),
        ("installation_repositories",
         {"action": "removed", "repositories_removed": [REPO], "repositories_added": []}),
        ("github_app_authorization", {"action": "revoked"}),
    ]  # fmt: skip
    found += [("pull_request", {"action": action, "number": 3, "pull_request": PULL}) for action in PULL_KEYS]
    return [(event, {**BASE, **payload}) for event, payload in found]
