"""Sends messages to the operator's chat. Their rows are the outbox; each is tried until the chat accepts it.

The address is a secret, because anyone who has a chat's webhook can write there: it is in no log, no error and no row.
Of the chat's response only the status is read, and redirects are not followed, because they could lead anywhere.
"""

import asyncio
import hashlib
import hmac
import json
import logging
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bot import __version__
from bot.contexts import Contexts
from bot.settings import Settings
from bot.store.chat_messages import DueMessage, claim, due_messages, settle
from bot.store.database import Database
from healing.model import content_id

if TYPE_CHECKING:
    import httpx

SECONDS = 10.0  # for one message, however slowly the chat responds
MAX_MESSAGES = 5  # per round, since chats accept about one a second
FIRST_PAUSE, MAX_PAUSE = 60.0, 3600.0
GIVE_UP_SECONDS = 2 * 86_400.0  # after that nobody needs to be told that the branch is red

log = logging.getLogger("heal.chat")


async def send_chat(contexts: Contexts, database: Database, seconds: float = SECONDS) -> None:
    """Sends the messages that are due; one may take `seconds`. If one fails, the others wait for the next round,
    because they go to the same address."""
    if not contexts.settings.chat_url.get_secret_value() or await contexts.store(0).stopped() is not None:
        return
    now = contexts.now()
    for one in await due_messages(database, now, MAX_MESSAGES):
        if now - one.made_at > GIVE_UP_SECONDS:
            log.error("the chat took no message about %s in two days; it is given up", one.message.sha)
            await settle(database, one)
            continue
        await contexts.check_lease()
        pause = min(FIRST_PAUSE * 2.0 ** min(one.tries, 16), MAX_PAUSE)
        if not await claim(database, one, now + pause):
            continue
        problem, wait = await _post(contexts.settings, one, seconds)
        if problem:
            log.warning("the chat did not take the message about %s: %s", one.message.sha, problem)
            await settle(database, one, now + max(pause, min(wait, MAX_PAUSE)))
            return
        await settle(database, one)


async def _post(settings: Settings, message: DueMessage, seconds: float) -> tuple[str, float]:
    """Why the chat did not accept it, empty if it did; and how many seconds it asks to wait."""
    import httpx

    body = body_of(message)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"heal/{__version__}",
        "X-Heal-Delivery": content_id(message.repo_id, message.message.sha, message.message.outcome, length=32),
        **signature_of(body, settings.chat_secret),
    }
    try:
        async with httpx.AsyncClient(timeout=seconds, follow_redirects=False) as client, asyncio.timeout(seconds):
            address = settings.chat_url.get_secret_value()
            async with client.stream("POST", address, content=body, headers=headers) as answer:
                wait = answer.headers.get("retry-after", "")
                return _problem(answer), float(wait) if wait.isdecimal() else 0.0
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError) as error:
        return f"no answer ({type(error).__name__})", 0.0  # the error's text may contain the address


def _problem(answer: "httpx.Response") -> str:
    if answer.is_success:
        return ""
    why = "; a redirect is not followed, so name the final address" if answer.is_redirect else ""
    return f"it answered {answer.status_code}{why} (HEAL_CHAT_URL)"


def body_of(message: DueMessage) -> bytes:
    """The JSON for Slack's incoming webhooks, without previews of links."""
    return json.dumps({"text": message.message.text, "unfurl_links": False, "unfurl_media": False}).encode()


def signature_of(body: bytes, secret: SecretStr) -> dict[str, str]:
    """The header with which GitHub signs its own webhooks; empty without a secret."""
    key = secret.get_secret_value().encode()
    return {"X-Hub-Signature-256": f"sha256={hmac.new(key, body, hashlib.sha256).hexdigest()}"} if key else {}
