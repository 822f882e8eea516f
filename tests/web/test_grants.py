"""What an installation grants is looked at again when GitHub tells of it (OP-1)."""

from functools import partial

import pytest

from bot.store.accounts import StoredAccounts
from bot.store.grants import grants
from bot.store.repo import RepoStore
from handlers.events import Installed, Uninstalled
from handlers.intake import parse_event
from handlers.router import handle_account
from tests.bot.conftest import Clock
from tests.web.conftest import Stage

pytestmark = pytest.mark.asyncio(loop_scope="session")


def grant_delivery(action: str, **permissions: str) -> dict[str, object]:
    """A webhook about the installation of corner-shop."""
    installation = {"id": 5, "account": {"login": "corner-shop", "id": 1, "type": "User"}, "permissions": permissions}
    return {"action": action, "installation": installation, "sender": {"login": "maya", "id": 2, "type": "User"}}


# OP-1
async def test_accepted_permissions_are_noted_with_their_levels() -> None:
    event = parse_event("installation", grant_delivery("new_permissions_accepted", checks="write", actions="read"))
    granted = (("actions", "read"), ("checks", "write"))
    assert event == Installed(installation_id=5, account="corner-shop", permissions=granted)
    assert parse_event("installation", grant_delivery("suspend", checks="write")) is None


# OP-1
async def test_the_newest_grant_is_kept_and_forgotten_with_its_installation(stage: Stage, clock: Clock) -> None:
    accounts = accounts_of(stage)
    for level in ("read", "write"):
        clock.at += 1
        granted = Installed(installation_id=5, account="corner-shop", permissions=(("checks", level),))
        await handle_account(granted, accounts)
    [kept] = await grants(stage.database)
    assert (kept.account, kept.permissions, kept.seen_at) == ("corner-shop", {"checks": "write"}, clock.at)
    await handle_account(Uninstalled(installation_id=5), accounts)
    assert await grants(stage.database) == ()


# OP-1
async def test_the_dashboard_believes_a_webhook_that_is_newer_than_its_own_look(stage: Stage, clock: Clock) -> None:
    installation = stage.installations["corner-shop"]
    whole = dict(installation.permissions)
    del installation.permissions["statuses"]
    async with stage.signed_in("maya") as maya:
        assert "<code>statuses</code>" in (await maya.get("/repositories")).text
        clock.at += 5
        accepted = Installed(installation_id=installation.id, account="corner-shop", permissions=tuple(whole.items()))
        await handle_account(accepted, accounts_of(stage))
        assert "<code>statuses</code>" not in (await maya.get("/repositories")).text


def accounts_of(stage: Stage) -> StoredAccounts:
    return StoredAccounts(stage.database, partial(RepoStore, stage.database, now=stage.clock), stage.clock)
