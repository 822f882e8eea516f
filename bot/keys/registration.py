"""The GitHub App that `/setup` registered. It is encrypted in the database, and used if the environment names none."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from bot.keys.sealing import Unsealable, sealer
from bot.secrets import read_private_key
from bot.settings import Settings, read_settings
from bot.store.database import Database
from bot.store.registered_app import load_app, reseal_app, save_app
from bot.store.trouble import database_error_context
from handlers.errors import UserError
from healing.model import Frozen

PURPOSE = "app"


class RegisteredApp(Frozen):
    """A GitHub App with its secrets. `html_url` is its page on GitHub."""

    id: str
    slug: str
    client_id: str
    client_secret: SecretStr
    webhook_secret: SecretStr
    pem: SecretStr
    html_url: str

    @property
    def install_url(self) -> str:
        """The page on which people install it on their repositories."""
        return f"{self.html_url}/installations/new"


class NotAnApp(Exception):
    """GitHub's response contains no usable App. The message says why, without any of its secrets."""


def read_app(registered: Mapping[str, Any]) -> RegisteredApp:
    """The App in GitHub's response to the code of the App manifest flow. Raises NotAnApp."""
    texts = {
        key: registered.get(key) for key in ("slug", "client_id", "client_secret", "webhook_secret", "pem", "html_url")
    }
    missing = sorted(key for key, value in texts.items() if not isinstance(value, str) or not value)
    if missing or not isinstance(registered.get("id"), int):
        raise NotAnApp(f"it lacks {', '.join(missing) or 'id'}")
    try:
        texts["pem"] = read_private_key(str(texts["pem"]))
    except ValueError as error:
        raise NotAnApp(f"its private key {error}") from error
    return RegisteredApp.model_validate({**texts, "id": str(registered["id"])})


async def store_app(database: Database, settings: Settings, app: RegisteredApp, now: float) -> bool:
    """Stores the App, encrypted. Returns False if there is one already."""
    kept = {
        name: value.get_secret_value() if isinstance(value, SecretStr) else value for name, value in app if name != "id"
    }
    sealed = sealer(settings, PURPOSE).seal(json.dumps({"id": app.id, **kept}))
    return await save_app(database, sealed, now)


async def stored_app(database: Database, settings: Settings) -> RegisteredApp | None:
    """The App, if one was registered. Encrypts it with the newest key if that was an older one. Raises UserError if no
    key can decrypt it."""
    sealed = await load_app(database)
    if sealed is None:
        return None
    box = sealer(settings, PURPOSE)
    try:
        registered = json.loads(box.open(sealed))
        if (renewed := box.renewed(sealed)) is not None:
            await reseal_app(database, renewed)
    except Unsealable as error:
        raise UserError(
            "the App that /setup stored was sealed with another key. Put that key into HEAL_SECRET_KEY (after the new "
            "one, with a comma between), or the file secret.key back into HEAL_DATA; or name the App by HEAL_APP_ID, "
            "HEAL_PRIVATE_KEY and HEAL_WEBHOOK_SECRET"
        ) from error
    return RegisteredApp.model_validate(registered)


async def with_registered_app(settings: Settings) -> Settings:
    """The settings, completed from the stored App. The environment takes precedence; if it names another App, nothing
    is taken from the stored one. Raises UserError."""
    with database_error_context(settings.store_name, "opened"):
        database = await Database.open(settings.store_url)
    async with database:
        has_all = is_complete(settings) and bool(settings.client_id) and bool(_text(settings, "client_secret"))
        app = None if has_all else await stored_app(database, settings)
    if app is None or settings.app_id not in ("", app.id):
        return settings
    found = {
        "app_id": app.id, "private_key": app.pem, "webhook_secret": app.webhook_secret, "client_id": app.client_id,
        "client_secret": app.client_secret,
    }  # fmt: skip
    return settings.model_copy(update={key: value for key, value in found.items() if not _text(settings, key)})


async def read_app_settings() -> Settings:
    """The settings of a process that acts as the App. Raises UserError, which names what is missing."""
    settings = await with_registered_app(read_settings())
    return settings if is_complete(settings) else read_settings(need_app=True)


def is_complete(settings: Settings) -> bool:
    """Whether the settings name an App with its secrets."""
    return all(_text(settings, key) for key in ("app_id", "private_key", "webhook_secret"))


def is_untouched(settings: Settings) -> bool:
    """Whether the settings name no part of an App, so that /setup may create one."""
    return not any(_text(settings, key) for key in ("app_id", "private_key", "webhook_secret"))


def _text(settings: Settings, key: str) -> str:
    value = getattr(settings, key)
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)
