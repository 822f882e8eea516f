"""JSON of accounts, Apps and installations."""

from datetime import datetime
from typing import Any

from lab.localhub.hub import Hub
from lab.localhub.state import Account, App, Installation, Repo, node_id

ACTIONS_APP_ID = 15368
LINKS = {
    "events_url": "/events{/privacy}",
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "organizations_url": "/orgs",
    "received_events_url": "/received_events",
    "repos_url": "/repos",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
}


def when(moment: datetime | None) -> Any:
    """GitHub's timestamps: UTC, whole seconds, `Z`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def api(hub: Hub) -> str:
    """The base URL of the REST API."""
    return f"{hub.url}/api/v3"


def user(hub: Hub, account: Account) -> dict[str, Any]:
    """A simple user."""
    url = f"{api(hub)}/users/{account.login}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_id("U", account.id),
        "avatar_url": f"{hub.url}/avatars/{account.login}.svg",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{hub.url}/{account.login.removesuffix('[bot]')}",
        **{name: url + path for name, path in LINKS.items()},
        "type": account.type,
        "site_admin": False,
    }


def public_user(hub: Hub, account: Account) -> dict[str, Any]:
    """A user as in GET /users/{login}."""
    nothing = dict.fromkeys(("bio", "blog", "company", "email", "hireable", "location"))
    counts = dict.fromkeys(("followers", "following", "public_gists", "public_repos"), 0)
    stamp = "2020-01-01T00:00:00Z"
    return user(hub, account) | nothing | counts | {"name": account.name, "created_at": stamp, "updated_at": stamp}


def app(hub: Hub, registered: App) -> dict[str, Any]:
    """An App."""
    return {
        "id": registered.id,
        "slug": registered.slug,
        "client_id": registered.client_id,
        "node_id": node_id("A", registered.id),
        "owner": user(hub, registered.owner),
        "name": registered.name,
        "description": None,
        "external_url": hub.url,
        "html_url": f"{hub.url}/apps/{registered.slug}",
        "created_at": when(registered.created_at),
        "updated_at": when(registered.created_at),
        "permissions": registered.permissions,
        "events": registered.events,
    }


def app_named(hub: Hub, slug: str) -> dict[str, Any]:
    """The App of a check; also for the local Actions, which isn't registered."""
    registered = hub.app_by_slug(slug)
    if registered:
        return app(hub, registered)
    stamp = "2018-07-30T09:30:17Z"
    return {
        "id": ACTIONS_APP_ID,
        "slug": slug,
        "client_id": "Iv1.05c79e9ad1f6bdfa",
        "node_id": node_id("A", ACTIONS_APP_ID),
        "owner": user(hub, hub.web_flow),
        "name": "GitHub Actions",
        "description": "Automate your workflow from idea to production",
        "external_url": f"{hub.url}/features/actions",
        "html_url": f"{hub.url}/apps/{slug}",
        "created_at": stamp,
        "updated_at": stamp,
        "permissions": {"checks": "write", "contents": "read", "metadata": "read"},
        "events": ["check_run", "check_suite"],
    }


def installation(hub: Hub, installed: Installation) -> dict[str, Any]:
    """An installation."""
    registered = hub.apps[installed.app_id]
    by = user(hub, installed.account) if installed.suspended_at else None
    return {
        "id": installed.id,
        "node_id": node_id("I", installed.id),
        "client_id": registered.client_id,
        "account": user(hub, installed.account),
        "repository_selection": "all" if installed.repo_ids is None else "selected",
        "access_tokens_url": f"{api(hub)}/app/installations/{installed.id}/access_tokens",
        "repositories_url": f"{api(hub)}/installation/repositories",
        "html_url": f"{hub.url}/settings/installations/{installed.id}",
        "app_id": installed.app_id,
        "app_slug": registered.slug,
        "target_id": installed.account.id,
        "target_type": installed.account.type,
        "permissions": installed.permissions,
        "events": installed.events,
        "created_at": when(installed.created_at),
        "updated_at": when(installed.suspended_at or installed.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": by,
        "suspended_at": when(installed.suspended_at),
    }


def association(repo: Repo, account: Account) -> str:
    """The author_association, which is as unreliable as GitHub's."""
    if account.id == repo.owner.id:
        return "OWNER"
    return "COLLABORATOR" if account.login in repo.collaborators else "NONE"
