"""Registering Apps from a manifest, which returns a one-time code for the App's secrets."""

import json
import secrets
from datetime import datetime, timedelta
from typing import Any

from lab.localhub import apps
from lab.localhub.hub import Hub
from lab.localhub.shapes import people
from lab.localhub.state import App, Refused

CODE_LIFE = timedelta(hours=1)
MAX_LENGTH = 100_000


def read(text: str) -> dict[str, Any]:
    """Parses a manifest. Raises Refused(422), with an explanation, for what GitHub would refuse."""
    try:
        manifest = json.loads(text) if len(text) <= MAX_LENGTH else None
    except (ValueError, RecursionError):
        manifest = None
    if not isinstance(manifest, dict):
        raise Refused(422, "The manifest is not a JSON object.")
    hook = manifest.get("hook_attributes")
    problems = [
        f"{key} is missing" for key in ("name", "url", "redirect_url") if not isinstance(manifest.get(key), str)
    ]
    if not isinstance(hook, dict) or not isinstance(hook.get("url"), str):
        problems.append("hook_attributes.url is missing")
    if not isinstance(manifest.get("default_permissions"), dict) or not isinstance(
        manifest.get("default_events"), list
    ):
        problems.append("default_permissions or default_events are missing")
    if problems:
        raise Refused(422, f"Invalid GitHub App manifest: {'; '.join(problems)}.")
    return manifest


def register(hub: Hub, owner: str, name: str, manifest: dict[str, Any]) -> str:
    """Registers the App and returns the code for its secrets. Raises Refused(422) if the name is taken."""
    slug = "-".join("".join(char if char.isalnum() else " " for char in name.lower()).split())
    with hub.lock:
        if not slug or hub.app_by_slug(slug):
            raise Refused(422, "Name has already been taken.")
        hook: dict[str, Any] = manifest["hook_attributes"]
        app = apps.register(
            hub, slug, owner, hook["url"] if hook.get("active", True) else None, manifest["default_permissions"],
            manifest["default_events"],
        )  # fmt: skip
        app.name = name
        app.callback_urls = [str(url) for url in manifest.get("callback_urls", [])][:10]
        code = secrets.token_hex(20)
        hub.manifest_codes[code] = (app.id, hub.now() + CODE_LIFE)
        return code


def convert(hub: Hub, code: str) -> App:
    """Returns the App of a code, once. Raises Refused(404)."""
    with hub.lock:
        app_id, until = hub.manifest_codes.pop(code, (0, datetime.max.replace(tzinfo=hub.now().tzinfo)))
        app = hub.apps.get(app_id)
        if app is None or until <= hub.now():
            raise Refused(404, "Not Found")
        return app


def conversion_response(hub: Hub, app: App) -> dict[str, Any]:
    """Returns the App's JSON with its secrets, as in the response for the code."""
    return people.app(hub, app) | {
        "client_secret": app.client_secret,
        "webhook_secret": app.webhook_secret,
        "pem": app.private_key,
    }
