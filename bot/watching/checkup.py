"""What `heal doctor` checks besides the machine: data folder, database, models, the App and its permissions on
GitHub."""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from bot.environment import unknown_setting, unknown_settings
from bot.github import permissions
from bot.github.pace import Pace
from bot.github.tokens import App
from bot.github.transport import Transport
from bot.keys.registration import with_registered_app
from bot.runs.models import Models
from bot.settings import Settings
from bot.store.connecting import ON_A_NETWORK
from bot.store.database import newest_version
from handlers.errors import UserError
from handlers.model import Refused
from healing.environment.doctor import DoctorFinding, machine_report
from healing.git import GitError
from healing.process.owner import sandbox_owner
from healing.worktrees import Worktrees

CHAT = "export HEAL_CHAT_URL=… (an incoming webhook of Slack or Mattermost)"
GRANT = "its owner accepts the new permissions at {url}; until then Heal does what it may"


async def findings(settings: Settings) -> AsyncIterator[DoctorFinding]:
    """Yields the findings one after another, in the order in which they should be fixed. Calls GitHub only if an App is
    configured."""
    data = _folder(settings)
    yield data
    if data.ok:
        for finding in await machine_report(settings.data, settings.sandbox):
            yield finding
    for name, near in unknown_settings().items():
        remedy = f"rename it to {near}, or unset it" if near else "unset it"
        yield DoctorFinding(f"setting {name}", False, unknown_setting(name, near), remedy)
    database, current = await _database(settings)
    yield database
    yield _model(settings)
    yield _chat(settings)
    docker = shutil.which("docker") is not None
    yield DoctorFinding("docker", True, f"{'here, but ' if docker else ''}not needed", here=docker)
    try:
        known = await with_registered_app(settings) if current else settings
    except UserError as error:
        yield DoctorFinding(
            "GitHub App", False, str(error), "correct what the line names, then run `heal doctor` again"
        )
        return
    async for finding in _app(known):
        yield finding


def _folder(settings: Settings) -> DoctorFinding:
    try:
        Worktrees(settings.data, sandbox_owner()).close()
    except (GitError, OSError, ValueError) as error:
        remedy = "name another data folder (HEAL_DATA), or fix the permissions of this one"
        return DoctorFinding("data folder", False, f"{settings.data}: {error}", remedy)
    return DoctorFinding("data folder", True, str(settings.data))


async def _database(settings: Settings) -> tuple[DoctorFinding, bool]:
    """Checks whether the database can be reached; also returns whether its schema is of this version. Changes
    nothing."""
    sqlite, name = settings.store_url.startswith("sqlite"), settings.store_name
    if sqlite and not settings.store_file.exists():
        return DoctorFinding("database", True, f"{name} (will be made)", here=False), False
    engine = create_async_engine(settings.store_url, **({} if sqlite else ON_A_NETWORK))
    try:
        async with engine.connect() as connection:
            version = str((await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar())
    except (SQLAlchemyError, OSError) as error:
        if "alembic_version" in str(error):
            return DoctorFinding("database", True, f"{name} (empty: heal migrate fills it, so does heal serve)"), False
        remedy = "fix the permissions of the file" if sqlite else "is DATABASE_URL right, and does PostgreSQL run?"
        return DoctorFinding("database", False, f"{name}: {str(error).splitlines()[0]}", remedy), False
    finally:
        await engine.dispose()
    newest = newest_version()
    if version > newest:
        why = f"{name} is of a newer Heal ({version}, this one knows {newest})"
        return DoctorFinding("database", False, why, "install the newer Heal again, or go back to your back-up"), False
    older = "" if version == newest else f", {version} of {newest}: heal migrate brings it up, so does heal serve"
    return DoctorFinding("database", True, name + older), version == newest


def _model(settings: Settings) -> DoctorFinding:
    models = Models(settings)
    try:
        fallback_chain = models.fallback_chain()
    except UserError as error:
        return DoctorFinding("model key", False, str(error), "name a model that has a price (HEAL_MODEL, HEAL_PRICES)")
    if fallback_chain is not None:
        beside = {
            tier.model.name: f" beside {tier.second_model.name}" for tier in fallback_chain.tiers if tier.second_model
        }
        names = ", then ".join(f"{r.model.name}{beside.get(r.model.name, '')}" for r in fallback_chain.tiers)
        return DoctorFinding("model key", True, f"set for {names}; a run may spend ${settings.budget_dollars:.2f}")
    without = "rule-based fixes work without one; runs show what agents would cost"
    remedy = f"export {models.missing_key}=…"
    return DoctorFinding("model key", True, f"not set: {without}", remedy, here=False)


def _chat(settings: Settings) -> DoctorFinding:
    """Checks the chat's settings. Sends nothing, and doesn't show the URL, since anyone who has it may post there."""
    if not settings.chat_url.get_secret_value():
        return DoctorFinding(
            "chat", True, "not set: red default branches are reported on GitHub only", CHAT, here=False
        )
    if settings.chat_secret.get_secret_value():
        return DoctorFinding("chat", True, "messages about red default branches go to HEAL_CHAT_URL, signed")
    return DoctorFinding(
        "chat", True, "messages about red default branches go to HEAL_CHAT_URL, unsigned (HEAL_CHAT_SECRET)"
    )


async def _app(settings: Settings) -> AsyncIterator[DoctorFinding]:
    """Checks whether GitHub accepts the App's key, and which permissions each installation lacks."""
    secrets = {
        "HEAL_APP_ID": settings.app_id,
        "HEAL_PRIVATE_KEY": settings.private_key.get_secret_value(),
        "HEAL_WEBHOOK_SECRET": settings.webhook_secret.get_secret_value(),
    }
    missing = [name for name, value in secrets.items() if not value]
    if missing:
        unset = len(missing) == len(secrets)
        detail = "none: only needed for heal serve, which makes one" if unset else f"{', '.join(missing)} not set"
        remedy = "start heal serve: it prints the address of a page that makes an App"
        if not unset:
            present = ", ".join(name for name in secrets if name not in missing)
            remedy = f"set {', '.join(missing)} too; or unset {present}, and heal serve helps to make an App"
        yield DoctorFinding("GitHub App", unset, detail, remedy, here=False)
        return
    app = App(
        Transport(settings.github_url, Pace(time.time, asyncio.sleep)), settings.app_id, settings.private_key, time.time
    )
    try:
        slug = await app.slug()
        installed = [item async for item in app.pages("/app/installations")]
    except Refused as error:
        remedy = "is HEAL_APP_ID the number of this key's App, HEAL_GITHUB_URL right, and the clock of this machine?"
        yield DoctorFinding("GitHub App", False, f"{settings.github_url} says {error.status}: {error}", remedy)
        return
    yield DoctorFinding("GitHub App", True, f"{slug}, installed {len(installed)} times")
    for installation in installed:
        name = f"installation {installation['account']['login']}"
        left = permissions.missing(installation.get("permissions") or {})
        why = "; ".join(missing.sentence for missing in left)
        yield DoctorFinding(
            name, not left, why or "grants all that is wanted", GRANT.format(url=installation.get("html_url", ""))
        )
