"""Signed deliveries as GitHub sends them."""

import hashlib
import hmac
import json
import uuid
from typing import Any

SECRET = "a secret of the webhook"


def failed_check(**changes: Any) -> dict[str, Any]:
    """The payload of a check_run.completed that failed, with the fields that we read."""
    person = {"login": "mona", "id": 2, "type": "User"}
    check_run = {
        "id": 31, "name": "lint", "head_sha": "a" * 40, "status": "completed", "conclusion": "failure",
        "app": {"id": 9, "slug": "github-actions"}, "check_suite": {"id": 41, "head_branch": "topic"},
        "pull_requests": [],
    }  # fmt: skip
    repo = {"id": 7, "full_name": "octo/demo", "default_branch": "main", "private": False}
    repo |= {"owner": {"login": "octo", "id": 1, "type": "Organization"}, "name": "demo"}
    payload = {"action": "completed", "check_run": check_run, "repository": repo, "sender": person}
    return {**payload, "installation": {"id": 5, "node_id": "x"}, **changes}


def headers(body: bytes, event: str = "check_run", guid: str | None = None, secret: str = SECRET) -> dict[str, str]:
    """What GitHub puts beside these bytes."""
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": guid or str(uuid.uuid4()),
        "X-Hub-Signature-256": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(),
    }


def raw(payload: object) -> bytes:
    return json.dumps(payload).encode()
