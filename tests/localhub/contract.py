"""GitHub's OpenAPI description as a judge: does an answer or a webhook look as GitHub's would?"""

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from lab.localhub.faults import RecordedRequest

DESCRIPTION = Path(__file__).with_name("openapi.json.gz")

DRIFT = {
    "GET /app/installations 200: 0/account": "the description wants a user and an enterprise at once",
    "line: null is not of type": "outdated comments have no line; the description knows that only of `start_line`",
    "position: null is not of type": "outdated comments have no position",
}
"""Where GitHub differs from its own description: text of an objection → why it is let through."""
GONE = ('"assignee" is a required', '"merge_commit_sha" is a required')
"""What the description (of version 2022-11-28) wants and version 2026-03-10 has no more."""


@cache
def description() -> dict[str, Any]:
    """The pruned description."""
    found: dict[str, Any] = json.loads(gzip.decompress(DESCRIPTION.read_bytes()))
    return found


@cache
def templates() -> list[tuple[str, re.Pattern[str], str]]:
    """(method, pattern, operation), those with the most fixed text first."""
    found = []
    for name in description()["responses"]:
        method, path, status = name.split(" ")
        pattern = re.sub(
            r"\\\{(\w+)\\\}", lambda m: ".+" if m[1] in ("path", "ref", "branch") else "[^/]+", re.escape(path)
        )
        found.append((f"{method} {status}", re.compile(f"/api/v3{pattern}"), name))
    return sorted(found, key=lambda entry: -len(re.sub(r"\[\^/\]\+|\.\+", "", entry[1].pattern)))


@cache
def validator(kind: str, name: str) -> Any:
    """For a response (`GET /app 200`) or a webhook (`check-run-completed`)."""
    schema = {**description()[kind][name], "schemas": description()["schemas"]}
    return jsonschema_rs.Draft202012Validator(schema)


def objections_to_answer(seen: RecordedRequest) -> list[str]:
    """What GitHub's description has against an answer; one that it knows nothing of is an objection too."""
    method, path, status = seen.method, seen.path, seen.status
    path = path.removesuffix("/contents") + "/contents/." if path.endswith("/contents") else path
    for kind, pattern, name in templates():
        if kind == f"{method} {status}" and pattern.fullmatch(path):
            found = _objections("responses", name, json.loads(seen.answer))
            newest = seen.headers.get("x-github-api-version") == "2026-03-10"
            return [one for one in found if not (newest and any(gone in one for gone in GONE))]
    return [f"{method} {path} {status} isn't in GitHub's description"]


def objections_to_webhook(event: str, action: str | None, payload: bytes) -> list[str]:
    """What GitHub's description has against a payload."""
    name = "-".join(part.replace("_", "-") for part in (event, action) if part)
    if name not in description()["webhooks"]:
        return [f"{name} isn't in GitHub's description"]
    return _objections("webhooks", name, json.loads(payload))


def _objections(kind: str, name: str, value: Any) -> list[str]:
    found = [
        f"{name}: {'/'.join(map(str, e.instance_path))}: {e.message[:300]}"
        for e in validator(kind, name).iter_errors(value)
    ]
    return [one for one in found if not any(known in one for known in DRIFT)]
