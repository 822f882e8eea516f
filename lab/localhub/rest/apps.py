"""REST of Apps: the App itself, installations, tokens, deliveries; and some general operations."""

import json
from typing import Any

from lab.localhub import apps, auth, manifests
from lab.localhub.calls import Answer, Call, Table, paged
from lab.localhub.shapes import people, repos
from lab.localhub.state import Attempt, Delivery, Installation, Refused, Repo

table = Table()
MAX_REPOS = 500


@table.on("GET", "/app", "jwt")
def get_app(call: Call) -> Answer:
    """Returns the App of the JWT."""
    app = call.the_app
    count = sum(installation.app_id == app.id for installation in call.hub.installations.values())
    return Answer(people.app(call.hub, app) | {"installations_count": count})


@table.on("POST", "/app-manifests/{code}/conversions", "open")
def convert_manifest(call: Call) -> Answer:
    """Returns the secrets of a newly registered App; a code is valid once."""
    return Answer(manifests.conversion_response(call.hub, manifests.convert(call.hub, str(call.params["code"]))), 201)


@table.on("GET", "/app/installations", "jwt")
def list_installations(call: Call) -> Answer:
    """Lists the App's installations."""
    own = [one for one in call.hub.installations.values() if one.app_id == call.the_app.id]
    return paged(call, own, lambda one: people.installation(call.hub, one))


@table.on("GET", "/app/installations/{installation}", "jwt")
def get_installation(call: Call) -> Answer:
    """One installation."""
    return Answer(people.installation(call.hub, _installation(call)))


@table.on("GET", "/R/installation", "jwt")
def get_repo_installation(call: Call) -> Answer:
    """Returns the installation of a repository."""
    repo = call.hub.repo(f"{call.params['owner']}/{call.params['repo']}")
    installation = call.hub.installation_for(call.the_app, repo)
    if installation is None:
        raise Refused(404, "Not Found")
    return Answer(people.installation(call.hub, installation))


@table.on("POST", "/app/installations/{installation}/access_tokens", "jwt")
def create_token(call: Call) -> Answer:
    """Creates a token for an hour, restricted to repositories and permissions if requested."""
    hub, installation = call.hub, _installation(call)
    names, ids = call.maybe("repositories", list), call.maybe("repository_ids", list)
    chosen = _chosen(call, installation, names, ids)
    token = apps.mint(hub, installation, call.maybe("permissions", dict), chosen)
    body: dict[str, Any] = {
        "token": token.value,
        "expires_at": people.when(token.expires_at),
        "permissions": token.permissions,
        "repository_selection": "all" if installation.repo_ids is None and chosen is None else "selected",
    }
    if chosen is not None:
        body["repositories"] = [repos.full(hub, hub.repos[number]) for number in sorted(chosen)]
    return Answer(body, 201)


@table.on("GET", "/installation/repositories", "token")
def list_repositories(call: Call) -> Answer:
    """Lists the repositories to which the installation token has access."""
    installation = auth.installation_of(call.hub, call.token) if call.token else None
    if installation is None or call.token is None:
        raise Refused(403, "You must authenticate with an installation access token in order to list repositories.")
    narrowed = call.token.repo_ids
    accessible = [repo for repo in apps.repos_of(call.hub, installation) if narrowed is None or repo.id in narrowed]
    return paged(call, accessible, lambda repo: repos.full(call.hub, repo), "repositories")


@table.on("GET", "/app/hook/deliveries", "jwt")
def list_deliveries(call: Call) -> Answer:
    """Lists every attempt at every delivery, newest first; `cursor` is the id from which to continue."""
    size = min(int(call.query.get("per_page", "30")), 100)
    cursor = call.query.get("cursor", "")
    pairs = [(d, a) for d in call.hub.deliveries if d.app_id == call.the_app.id for a in d.attempts]
    tried = sorted(pairs, key=lambda pair: pair[1].id, reverse=True)
    if cursor.isdecimal():
        tried = [pair for pair in tried if pair[1].id <= int(cursor)]
    headers = {}
    if len(tried) > size:
        url = f"{call.hub.url}{call.path}?per_page={size}&cursor={tried[size][1].id}"
        headers["Link"] = f'<{url}>; rel="next"'
    return Answer([_delivery(delivery, attempt) for delivery, attempt in tried[:size]], headers=headers)


@table.on("GET", "/app/hook/deliveries/{delivery}", "jwt")
def get_delivery(call: Call) -> Answer:
    """Returns one attempt with its request."""
    delivery, attempt = _found(call)
    request = {"headers": {"X-GitHub-Event": delivery.event}, "payload": json.loads(delivery.payload)}
    shown = _delivery(delivery, attempt) | {"url": call.the_app.webhook_url or ""}
    return Answer(shown | {"request": request, "response": {"headers": {}, "payload": ""}})


@table.on("POST", "/app/hook/deliveries/{delivery}/attempts", "jwt")
def redeliver(call: Call) -> Answer:
    """Sends a delivery again, under the same GUID."""
    delivery, _ = _found(call)
    if call.hub.redeliver is None:
        raise Refused(422, "The hub sends no webhooks.")
    call.hub.redeliver(delivery)
    return Answer({}, 202)


@table.on("GET", "/users/{login}", "token")
def get_user(call: Call) -> Answer:
    """Returns a person, or an App's bot (`heal[bot]`)."""
    account = call.hub.accounts.get(call.params["login"])
    if account is None:
        raise Refused(404, "Not Found")
    return Answer(people.public_user(call.hub, account))


@table.on("GET", "/rate_limit", "token")
def rate_limit(call: Call) -> Answer:
    """Returns constant limits: the local GitHub has none except injected faults."""
    reset = int(call.hub.now().timestamp()) + 3600
    limit = {"limit": 5000, "used": 0, "remaining": 5000, "reset": reset}
    return Answer({"resources": {"core": limit, "search": limit, "graphql": limit}, "rate": limit})


def _installation(call: Call) -> Installation:
    installation = call.hub.installations.get(call.number("installation"))
    if installation is None or installation.app_id != call.the_app.id:
        raise Refused(404, "Not Found")
    return installation


def _chosen(call: Call, installation: Installation, names: list[str] | None, ids: list[int] | None) -> set[int] | None:
    """Returns the ids of the repositories for which a token is requested."""
    if names is None and ids is None:
        return None
    if len(names or []) + len(ids or []) > MAX_REPOS:
        raise Refused(422, "Too many repositories.")
    by_name: dict[str, Repo] = {repo.name.lower(): repo for repo in apps.repos_of(call.hub, installation)}
    missing = [name for name in names or [] if str(name).lower() not in by_name]
    if missing:
        raise Refused(422, "There is at least one repository that does not exist or is not accessible.")
    return {by_name[str(name).lower()].id for name in names or []} | set(ids or [])


def _found(call: Call) -> tuple[Delivery, Attempt]:
    number = call.number("delivery")
    for delivery in call.hub.deliveries:
        for attempt in delivery.attempts:
            if attempt.id == number and delivery.app_id == call.the_app.id:
                return delivery, attempt
    raise Refused(404, "Not Found")


def _delivery(delivery: Delivery, attempt: Attempt) -> dict[str, Any]:
    return {
        "id": attempt.id,
        "guid": delivery.guid,
        "delivered_at": people.when(attempt.delivered_at),
        "redelivery": attempt.redelivery,
        "duration": round(attempt.duration, 2),
        "status": attempt.status,
        "status_code": attempt.status_code,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": delivery.installation_id,
        "repository_id": delivery.repository_id,
        "throttled_at": None,
    }
