"""The App that `/setup` registered, sealed in the database: read at start, where the environment names none."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from bot.keys.sealing import Sealer, Unsealable, sealer
from bot.secrets import read_private_key
from bot.settings import Settings, read_settings
from bot.store.database import Database
from bot.store.registered_app import load_app, reseal_app, save_app
from bot.store.trouble import database_error_context
from handlers.errors import UserError
from healing.model import Frozen

PURPOSE = "app"


class Registered(Frozen):
    """An App with its secrets, as GitHub gave them. `html_url` is its page there."""

    id: str
    slug: str
    client_id: str
    client_secret: SecretStr
    webhook_secret: SecretStr
    pem: SecretStr
    html_url: str

    @property
    def install_url(self) -> str:
        """Where people put it on their repositories."""
        return f"{self.html_url}/installations/new"


class NotAnApp(Exception):
    """What GitHub answered holds no App that could be used; the text says why, without any of its secrets."""


def read_app(registered: Mapping[str, Any]) -> Registered:
    """From the answer to a code. Raises NotAnApp."""
    texts = {
        key: registered.get(key) for key in ("slug", "client_id", "client_secret", "webhook_secret", "pem", "html_url")
    }
    lacking = sorted(key for key, value in texts.items() if not isinstance(value, str) or not value)
    if lacking or not isinstance(registered.get("id"), int):
        raise NotAnApp(f"it lacks {', '.join(lacking) or 'id'}")
    try:
        texts["pem"] = read_private_key(str(texts["pem"]))
    except ValueError as error:
        raise NotAnApp(f"its private key {error}") from error
    return Registered.model_validate({**texts, "id": str(registered["id"])})


async def store_app(database: Database, settings: Settings, app: Registered, now: float) -> bool:
    """Keeps it, sealed. False where there is one already."""
    kept = {
        name: value.get_secret_value() if isinstance(value, SecretStr) else value for name, value in app if name != "id"
    }
    sealed = sealer(settings, PURPOSE).seal(json.dumps({"id": app.id, **kept}))
    return await save_app(database, sealed, now)


async def stored_app(database: Database, settings: Settings) -> Registered | None:
    """The App, if one was registered; under an older key it is sealed again. Raises UserError where no key fits."""
    sealed = await load_app(database)
    if sealed is None:
        return None
    box = sealer(settings, PURPOSE)
    try:
        registered = json.loads(box.open(sealed))
        await _renew(database, box, sealed)
    except Unsealable as error:
        raise UserError(
            "the App that /setup stored was sealed with another key. Put that key into HEAL_SECRET_KEY (after the new "
            "one, with a comma between), or the file secret.key back into HEAL_DATA; or name the App by HEAL_APP_ID, "
            "HEAL_PRIVATE_KEY and HEAL_WEBHOOK_SECRET"
        ) from error
    return Registered.model_validate(registered)


async def _renew(database: Database, box: Sealer, sealed: str) -> None:
    renewed = box.renewed(sealed)
    if renewed is not None:
        await reseal_app(database, renewed)


async def with_registered_app(settings: Settings) -> Settings:
    """The settings, with what the environment leaves open taken from the stored App. What the environment says wins;
    where it names another App, nothing is taken. Raises UserError."""
    with database_error_context(settings.store_name, "opened"):
        database = await Database.open(settings.store_url)
    try:
        app = await stored_app(database, settings) if _open(settings) else None
    finally:
        await database.close()
    if app is None or settings.app_id not in ("", app.id):
        return settings
    found = {
        "app_id": app.id, "private_key": app.pem, "webhook_secret": app.webhook_secret, "client_id": app.client_id,
        "client_secret": app.client_secret,
    }  # fmt: skip
    return settings.model_copy(update={key: value for key, value in found.items() if not _text(settings, key)})


async def read_app_settings() -> Settings:
    """For processes that are the App. Raises UserError that names what is missing."""
    settings = await with_registered_app(read_settings())
    return settings if is_complete(settings) else read_settings(need_app=True)


def is_complete(settings: Settings) -> bool:
    """Whether the App is known."""
    return all(_text(settings, key) for key in ("app_id", "private_key", "webhook_secret"))


def is_untouched(settings: Settings) -> bool:
    """Whether nothing at all is known of an App: then /setup may make one."""
    return not any(_text(settings, key) for key in ("app_id", "private_key", "webhook_secret"))


def _open(settings: Settings) -> bool:
    return not is_complete(settings) or not (settings.client_id and _text(settings, "client_secret"))


def _text(settings: Settings, key: str) -> str:
    value = getattr(settings, key)
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)
