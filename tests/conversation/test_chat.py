"""A red default branch is told of in the operator's chat, and what Heal has for it."""

import json
import re

from inline_snapshot import snapshot
from pydantic import SecretStr

from bot.contexts import Contexts
from bot.maintenance.chat import send_chat
from tests.bot.chat_server import ChatServer, chat_server, says
from tests.bot.hub import no_healer
from tests.conversation.small_repo import ON_PUSH, ONE_SLIP, SHOP
from tests.world import OpenWorld, World

WRONG = {"shop.py": SHOP.replace("return sum(prices)", "return max(prices)")}


async def chat_messages(w: World, chat: ChatServer) -> list[str]:
    """What the chat has got after a round of the worker's, with names for what differs each time."""
    await send_chat(w.machine.contexts, w.machine.database)
    texts = [json.loads(body)["text"] for body in chat.bodies]
    texts = [re.sub(r"http://127\.0\.0\.1:\d+", "…", text) for text in texts]
    return [re.sub(r"\b[0-9a-f]{40}\b", "SHA", re.sub(r"\|[0-9a-f]{7}>", "|abc1234>", text)) for text in texts]


# OP-11
async def test_a_red_default_branch_with_a_fix_and_one_that_needs_somebody_are_told_of_once_each(
    world: OpenWorld,
) -> None:
    async with chat_server(says(500)) as chat, world(ON_PUSH, chat_url=SecretStr(chat.url)) as w:
        await w.commit_to_main(ONE_SLIP)
        await w.ci()
        await w.heal()
        assert len(await chat_messages(w, chat)) == 1
        w.clock.at += 60
        assert await chat_messages(w, chat) == snapshot(
            [
                """\
`corner-shop/shop`: `main` is red at <…/corner-shop/shop/commit/SHA|abc1234>. 1 error has a tested fix.
• `ruff F821` at `shop.py:11`
Review and merge <…/corner-shop/shop/pull/1|pull request #1> · <…/runs/corner-shop/shop/SHA/1|What Heal found>\
""",
                """\
`corner-shop/shop`: `main` is red at <…/corner-shop/shop/commit/SHA|abc1234>. 1 error has a tested fix.
• `ruff F821` at `shop.py:11`
Review and merge <…/corner-shop/shop/pull/1|pull request #1> · <…/runs/corner-shop/shop/SHA/1|What Heal found>\
""",
            ]
        )
        await w.commit_to_main({**ONE_SLIP, **WRONG})
        await w.ci()
        await w.heal()
        assert (await chat_messages(w, chat))[2:] == snapshot(
            [
                """\
`corner-shop/shop`: `main` is red at <…/corner-shop/shop/commit/SHA|abc1234>. No fix found for 1 error.
• Needs you: `pytest AssertionError` at `test_shop.py:5`
<…/runs/corner-shop/shop/SHA/1|What Heal found>\
"""
            ]
        )
        assert len(await chat_messages(w, chat)) == 3
        fixup = w.page(1)
        assert fixup.pull.base_ref == "main"
        assert len(fixup.comments()) <= 1


# OP-11
async def test_without_a_chat_nothing_is_stored_and_a_chat_that_is_named_later_is_not_told_of_the_past(
    world: OpenWorld,
) -> None:
    async with chat_server() as chat, world(ON_PUSH) as w:
        await w.commit_to_main(ONE_SLIP)
        await w.ci()
        await w.heal()
        settings = w.machine.contexts.settings.model_copy(update={"chat_url": SecretStr(chat.url)})
        later = Contexts(settings, w.machine.database, w.queue, no_healer, w.clock, w.clock.sleep)
        await send_chat(later, w.machine.database)
        assert chat.bodies == []
        assert len(w.page(1).comments()) <= 1
