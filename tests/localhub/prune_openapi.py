"""Makes openapi.json.gz: of GitHub's OpenAPI only the requests that Heal may send, and the response and webhook schemas
that the local GitHub answers with. Beside it graphql.gz: GitHub's GraphQL schema without its descriptions.

npm pack @octokit/openapi@23.0.2 @octokit/openapi-webhooks@12.1.0 @octokit/graphql-schema@15.26.1   (unpack them)
python tests/localhub/prune_openapi.py REST/api.github.com.json WEBHOOKS/api.github.com.json schema.graphql FOLDER
"""

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

from graphql import strip_ignored_characters

R = "/repos/{owner}/{repo}"
OPERATIONS = f"""
GET /app
GET /app/installations
GET /app/installations/{{installation_id}}
POST /app/installations/{{installation_id}}/access_tokens
GET /app/hook/deliveries
GET /app/hook/deliveries/{{delivery_id}}
GET {R}/installation
GET /installation/repositories
GET /rate_limit
GET /users/{{username}}
GET {R}
GET {R}/collaborators/{{username}}/permission
GET {R}/contents/{{path}}
GET {R}/commits/{{ref}}
GET {R}/commits/{{commit_sha}}/pulls
GET {R}/commits/{{ref}}/status
GET {R}/commits/{{ref}}/check-runs
GET {R}/compare/{{basehead}}
GET {R}/branches/{{branch}}
GET {R}/rules/branches/{{branch}}
GET {R}/git/ref/{{ref}}
GET {R}/git/matching-refs/{{ref}}
POST {R}/git/refs
PATCH {R}/git/refs/{{ref}}
GET {R}/git/commits/{{commit_sha}}
POST {R}/git/commits
GET {R}/git/trees/{{tree_sha}}
POST {R}/git/trees
GET {R}/git/blobs/{{file_sha}}
POST {R}/git/blobs
GET {R}/pulls
POST {R}/pulls
GET {R}/pulls/{{pull_number}}
PATCH {R}/pulls/{{pull_number}}
GET {R}/pulls/{{pull_number}}/files
GET {R}/pulls/{{pull_number}}/commits
GET {R}/pulls/{{pull_number}}/comments
POST {R}/pulls/{{pull_number}}/comments
POST {R}/pulls/{{pull_number}}/comments/{{comment_id}}/replies
GET {R}/pulls/{{pull_number}}/reviews
POST {R}/pulls/{{pull_number}}/reviews
GET {R}/pulls/{{pull_number}}/reviews/{{review_id}}
PUT {R}/pulls/{{pull_number}}/reviews/{{review_id}}
GET {R}/pulls/{{pull_number}}/reviews/{{review_id}}/comments
POST {R}/pulls/{{pull_number}}/requested_reviewers
GET {R}/pulls/comments/{{comment_id}}
PATCH {R}/pulls/comments/{{comment_id}}
GET {R}/pulls/comments/{{comment_id}}/reactions
POST {R}/pulls/comments/{{comment_id}}/reactions
GET {R}/issues/{{issue_number}}/comments
POST {R}/issues/{{issue_number}}/comments
GET {R}/issues/comments/{{comment_id}}
PATCH {R}/issues/comments/{{comment_id}}
POST {R}/issues/comments/{{comment_id}}/reactions
GET {R}/issues/comments/{{comment_id}}/reactions
GET {R}/issues/{{issue_number}}/labels
POST {R}/issues/{{issue_number}}/labels
DELETE {R}/issues/{{issue_number}}/labels/{{name}}
POST {R}/check-runs
GET {R}/check-runs/{{check_run_id}}
PATCH {R}/check-runs/{{check_run_id}}
GET {R}/check-runs/{{check_run_id}}/annotations
POST {R}/check-suites
PATCH {R}/check-suites/preferences
GET {R}/check-suites/{{check_suite_id}}
GET {R}/check-suites/{{check_suite_id}}/check-runs
POST {R}/statuses/{{sha}}
GET {R}/actions/jobs/{{job_id}}
GET {R}/actions/runs
GET {R}/actions/runs/{{run_id}}
GET {R}/actions/runs/{{run_id}}/jobs
GET {R}/actions/runs/{{run_id}}/attempts/{{attempt_number}}/jobs
GET {R}/actions/runs/{{run_id}}/artifacts
GET {R}/actions/artifacts/{{artifact_id}}
POST {R}/actions/runs/{{run_id}}/rerun
POST {R}/actions/runs/{{run_id}}/rerun-failed-jobs
"""
ASKED = f"""
POST /app/hook/deliveries/{{delivery_id}}/attempts
GET /app/installations/{{installation_id}}
DELETE {R}/git/refs/{{ref}}
DELETE {R}/pulls/comments/{{comment_id}}
GET {R}/actions/jobs/{{job_id}}/logs
GET {R}/actions/artifacts/{{artifact_id}}/{{archive_format}}
POST {R}/actions/runs/{{run_id}}/cancel
GET {R}/contents/{{path}}
"""
"""Operations that are asked for besides, whose answers have no JSON or aren't given here."""
WEBHOOKS = """
push pull-request-opened pull-request-synchronize pull-request-closed pull-request-reopened pull-request-labeled
pull-request-unlabeled pull-request-ready-for-review pull-request-converted-to-draft issue-comment-created
issue-comment-edited pull-request-review-submitted pull-request-review-comment-created
pull-request-review-comment-edited pull-request-review-thread-resolved pull-request-review-thread-unresolved
check-run-created check-run-completed check-run-requested-action check-run-rerequested check-suite-requested
check-suite-completed workflow-run-requested workflow-run-in-progress workflow-run-completed
workflow-job-in-progress workflow-job-completed status installation-created installation-deleted
installation-suspend installation-unsuspend
"""
WORDS = re.compile(r'"""(?:\\"""|(?!""").)*"""', re.DOTALL)  # GraphQL's descriptions
DROP = {"description", "title", "example", "examples", "externalDocs", "x-github", "default", "deprecated", "readOnly"}


def main(rest_file: str, hooks_file: str, graphql_file: str, folder: str) -> None:
    """Reads the descriptions and writes the pruned ones."""
    bare = strip_ignored_characters(WORDS.sub("", Path(graphql_file).read_text()))
    Path(folder, "graphql.gz").write_bytes(gzip.compress(bare.encode(), 9, mtime=0))
    out_file = Path(folder, "openapi.json.gz")
    rest = json.loads(Path(rest_file).read_text())
    hooks = json.loads(Path(hooks_file).read_text())
    schemas = {"rest": rest["components"]["schemas"], "hooks": hooks["components"]["schemas"]}
    kept: dict[str, Any] = {}
    responses = {}
    for line in filter(None, OPERATIONS.split("\n")):
        method, path = line.split()
        for status, given in rest["paths"][path][method.lower()]["responses"].items():
            name = given.get("$ref", "").rpartition("/")[2]
            response = rest["components"]["responses"][name] if name else given
            content = response.get("content", {}).get("application/json")
            if content and status.startswith("2"):
                responses[f"{line} {status}"] = convert(content["schema"], "rest", schemas, kept)
    requests = {line: request(rest, line, schemas, kept) for line in filter(None, (OPERATIONS + ASKED).split("\n"))}
    webhooks = {}
    for name in WEBHOOKS.split():
        content = hooks["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]
        webhooks[name] = convert(content["schema"], "hooks", schemas, kept)
    found = {"requests": requests, "responses": responses, "webhooks": webhooks, "schemas": kept}
    out_file.write_bytes(gzip.compress(json.dumps(found, sort_keys=True).encode(), 9, mtime=0))
    counts = (f"{len(part)} {name}" for name, part in found.items())
    print(", ".join(counts), out_file.stat().st_size, "bytes;", len(bare), "characters of GraphQL")


def request(rest: Any, line: str, schemas: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """What one operation takes: parameters by place and name, with those that it must have, and its JSON body."""
    method, path = line.split()
    operation = rest["paths"][path][method.lower()]
    taken: dict[str, Any] = {"path": {}, "query": {}, "needed": [], "body": None, "body_needed": False}
    for given in (*rest["paths"][path].get("parameters", ()), *operation.get("parameters", ())):
        name = given.get("$ref", "").rpartition("/")[2]
        one = rest["components"]["parameters"][name] if name else given
        if one["in"] in ("path", "query"):
            taken[one["in"]][one["name"]] = convert(one["schema"], "rest", schemas, kept)
            taken["needed"] += [one["name"]] if one["in"] == "query" and one.get("required") else []
    body = operation.get("requestBody", {})
    if "application/json" in body.get("content", {}):
        taken["body"] = convert(body["content"]["application/json"]["schema"], "rest", schemas, kept)
        taken["body_needed"] = bool(body.get("required"))
    return taken


def convert(schema: Any, source: str, schemas: dict[str, Any], kept: dict[str, Any]) -> Any:
    """OpenAPI 3.0 to JSON Schema 2020-12: `nullable` becomes a type; references are followed and kept."""
    if isinstance(schema, list):
        return [convert(item, source, schemas, kept) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        key = re.sub(r"\W", "_", f"{source}_{name}")
        if key not in kept:
            kept[key] = True
            kept[key] = convert(schemas[source][name], source, schemas, kept)
        found: Any = {"$ref": f"#/schemas/{key}"}
        return {"anyOf": [found, {"type": "null"}]} if schema.get("nullable") else found
    new = {}
    for key, value in schema.items():
        if key == "properties":
            new[key] = {name: convert(one, source, schemas, kept) for name, one in value.items()}
        elif key in ("enum", "required"):
            new[key] = value
        elif key not in DROP:
            new[key] = convert(value, source, schemas, kept)
    if new.pop("nullable", False):
        if isinstance(new.get("type"), str):
            new["type"] = [new["type"], "null"]
            if "enum" in new and None not in new["enum"]:
                new["enum"] = [*new["enum"], None]
        else:
            new = {"anyOf": [new, {"type": "null"}]}
    return new


if __name__ == "__main__":
    main(*sys.argv[1:])
