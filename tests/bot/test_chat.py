"""Messages to the operator's chat: each once, whatever the chat does, and its address nowhere."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.contexts import Contexts
from bot.durable.engine import DurableEngine
from bot.machine import open_machine
from bot.maintenance.chat import GIVE_UP_SECONDS, MAX_PAUSE, send_chat
from bot.maintenance.loop import run_maintenance
from bot.settings import Settings, read_settings
from bot.store.chat_messages import StoredChat, claim, due_messages
from bot.store.database import Database
from bot.store.switches import Stop
from bot.watching.logs import configure_logs
from bot.web.webhook import Signature
from handlers.errors import UserError
from handlers.model import ChatMessage, ChatOutcome
from tests.bot.chat_server import PATH, ChatServer, chat_server, drips, floods, hangs, hangs_up, says
from tests.bot.conftest import Clock
from tests.bot.hub import no_healer

SECRET = "what only the two of us know"
SHA = "a" * 40


def message(text: str = "`octo/demo`: `main` is red.", sha: str = SHA, outcome: ChatOutcome = "fix") -> ChatMessage:
    return ChatMessage(sha=sha, outcome=outcome, text=text)


def contexts_to(url: str, database: Database, clock: Clock, folder: Path, secret: str = SECRET) -> Contexts:
    settings = Settings(data=folder, chat_url=SecretStr(url), chat_secret=SecretStr(secret))
    return Contexts(settings, database, DurableEngine(stepped=True), no_healer, clock, clock.sleep)


class Sender:
    """What a worker's rounds do, by the clock in hand."""

    def __init__(self, server: ChatServer, database: Database, clock: Clock, folder: Path) -> None:
        self.contexts = contexts_to(server.url, database, clock, folder)
        self.database, self.clock, self.server = database, clock, server
        self.chat = StoredChat(database, 7, clock)

    async def round(self, later: float = 0.0, seconds: float = 5.0) -> int:
        """One round, so much later; gives how many requests the chat has got until then."""
        self.clock.at += later
        await send_chat(self.contexts, self.database, seconds)
        return len(self.server.bodies)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What a worker's log says."""
    stream, root = io.StringIO(), logging.getLogger()
    handlers, level = root.handlers, root.level
    configure_logs(stream)
    yield stream
    root.handlers = handlers
    root.setLevel(level)


# OP-11
async def test_a_message_is_sent_once_signed_as_github_signs(database: Database, clock: Clock, tmp_path: Path) -> None:
    async with chat_server() as server:
        sender = Sender(server, database, clock, tmp_path)
        await sender.chat.post(message())
        await sender.chat.post(message("the same again"))
        assert [await sender.round(), await sender.round(100)] == [1, 1]
        (body,), (headers,) = server.bodies, server.headers
        assert json.loads(body)["text"] == "`octo/demo`: `main` is red."
        assert json.loads(body)["unfurl_links"] is False
        signature = Signature(headers["x-hub-signature-256"], SECRET)
        signature.update(body)
        assert signature.matches()
        await sender.chat.post(message("it needs you", outcome="needs-you"))
        await sender.chat.post(message("another commit", sha="b" * 40))
        assert await sender.round() == 3


# OP-11
async def test_without_a_secret_nothing_is_signed_and_without_an_address_nothing_is_sent(
    database: Database, clock: Clock, tmp_path: Path
) -> None:
    async with chat_server() as server:
        await StoredChat(database, 7, clock).post(message())
        await send_chat(contexts_to("", database, clock, tmp_path), database)
        assert server.bodies == []
        await send_chat(contexts_to(server.url, database, clock, tmp_path, secret=""), database)
        assert "x-hub-signature-256" not in server.headers[0]


# OP-11 OP-3
@pytest.mark.parametrize("bad", [says(500), says(404), says(429), hangs, drips, hangs_up, says(302, Location="/ok")])
async def test_what_the_chat_does_not_take_is_tried_again_later_and_then_not_any_more(
    database: Database, clock: Clock, tmp_path: Path, bad: object
) -> None:
    async with chat_server(bad) as server:  # type: ignore[arg-type]
        sender = Sender(server, database, clock, tmp_path)
        await sender.chat.post(message())
        assert [await sender.round(seconds=2), await sender.round(59), await sender.round(1)] == [1, 1, 2]
        assert await sender.round(GIVE_UP_SECONDS) == 2
        first, second = server.headers
        assert first["x-heal-delivery"] == second["x-heal-delivery"], "whoever got both knows them as one"
        assert server.bodies[0] == server.bodies[1]


# OP-11
async def test_an_answer_without_end_is_not_read(database: Database, clock: Clock, tmp_path: Path) -> None:
    async with chat_server(floods) as server:
        sender = Sender(server, database, clock, tmp_path)
        await sender.chat.post(message())
        assert [await sender.round(), await sender.round(3600)] == [1, 1]


# OP-11
async def test_a_redirect_is_not_followed(database: Database, clock: Clock, tmp_path: Path, log: io.StringIO) -> None:
    async with chat_server() as other, chat_server(says(307, Location=f"http://127.0.0.1:{other.port}/in")) as server:
        sender = Sender(server, database, clock, tmp_path)
        await sender.chat.post(message())
        assert await sender.round() == 1
        assert other.bodies == []
        assert "a redirect is not followed, so name the final address" in log.getvalue()


# OP-11
async def test_the_chats_own_wish_to_be_left_alone_is_obeyed_within_bounds(
    database: Database, clock: Clock, tmp_path: Path
) -> None:
    async with chat_server(says(429, Retry_After="600"), says(503, Retry_After="99999999")) as server:
        sender = Sender(server, database, clock, tmp_path)
        await sender.chat.post(message())
        assert [await sender.round(), await sender.round(599), await sender.round(1)] == [1, 1, 2]
        assert [await sender.round(MAX_PAUSE - 1), await sender.round(1)] == [2, 3]


# OP-11
async def test_where_one_fails_the_others_wait_and_none_is_lost(
    database: Database, clock: Clock, tmp_path: Path
) -> None:
    async with chat_server(says(500)) as server:
        sender = Sender(server, database, clock, tmp_path)
        for number in range(12):
            await sender.chat.post(message(f"commit {number}", sha=f"{number:040x}"))
        rounds = [await sender.round(60) for _ in range(6)]
        assert rounds[0] == 1
        texts = [json.loads(body)["text"] for body in server.bodies[1:]]
        assert sorted(texts) == sorted(f"commit {number}" for number in range(12))


# OP-11 OP-3
async def test_of_several_workers_one_sends_and_one_that_dies_while_sending_leaves_it_to_the_others(
    database: Database, clock: Clock, tmp_path: Path
) -> None:
    async with chat_server() as server:
        sender = Sender(server, database, clock, tmp_path)
        await sender.chat.post(message())
        (due,) = await due_messages(database, clock(), 5)
        assert [await claim(database, due, clock() + 60), await claim(database, due, clock() + 60)] == [True, False]
        assert await sender.round() == 0, "somebody is at it"
        assert await sender.round(60) == 1, "who was at it died"
        await sender.chat.post(message("more", sha="c" * 40))
        await asyncio.gather(*(sender.round() for _ in range(4)))
        assert len(server.bodies) == 2


# OP-11
async def test_after_two_days_a_message_is_given_up(
    database: Database, clock: Clock, tmp_path: Path, log: io.StringIO
) -> None:
    async with chat_server(*[says(500)] * 100) as server:
        sender = Sender(server, database, clock, tmp_path)
        await sender.chat.post(message())
        tries = [await sender.round(600) for _ in range(300)]
        assert 40 < tries[-1] < 60
        assert tries[-1] == tries[-10]
        assert "it is given up" in log.getvalue()


# OP-8 OP-11
async def test_while_the_operator_has_stopped_heal_nothing_is_sent(
    database: Database, clock: Clock, tmp_path: Path
) -> None:
    async with chat_server() as server:
        sender = Sender(server, database, clock, tmp_path)
        await sender.chat.post(message())
        stop = Stop(database, clock)
        await stop.set("")
        assert await sender.round() == 0
        await stop.lift()
        assert await sender.round() == 1


# OP-11
async def test_the_address_and_the_secret_are_in_no_log(
    database: Database, clock: Clock, tmp_path: Path, log: io.StringIO
) -> None:
    async with chat_server(says(500), says(302, Location="/x"), hangs, hangs_up, says(200)) as server:
        sender = Sender(server, database, clock, tmp_path)
        await sender.chat.post(message())
        for _ in range(5):
            await sender.round(3600, seconds=0.3)
        assert (len(server.bodies), set(server.paths)) == (5, {PATH})
    for nowhere in (f"http://127.0.0.1:{server.port}{PATH}", f"http://no-such-host.invalid{PATH}"):
        await StoredChat(database, 7, clock).post(message(sha=f"{hash(nowhere) % 10**9:040}"))
        await send_chat(contexts_to(nowhere, database, clock, tmp_path), database, 2.0)
    output = log.getvalue()
    assert output.count("the chat did not take the message") == 6
    assert not [word for word in ("s3cr3t-path", SECRET, "services", str(server.port)) if word in output]


# OP-11
@pytest.mark.parametrize(
    "bad", ["hooks.slack.com/x", "ftp://x/y", "https://", "https://a b/", "https://a\u202e.b/", "http://:1"]
)
def test_an_address_that_is_none_is_refused_and_not_repeated(bad: str) -> None:
    with pytest.raises(UserError) as refused:
        read_settings(environ={"HEAL_CHAT_URL": bad})
    assert "HEAL_CHAT_URL must be an address" in str(refused.value)
    assert bad not in str(refused.value).replace("https:// ", "")
    assert "s3cr3t" not in repr(Settings(chat_url=SecretStr("https://hooks.example/s3cr3t")))


# OP-11
async def test_a_workers_rounds_send_what_is_stored(database: Database, clock: Clock, tmp_path: Path, pem: str) -> None:
    async with chat_server() as server:
        settings = Settings(
            data=tmp_path / "worker",
            app_id="1",
            private_key=SecretStr(pem),
            github_url="http://127.0.0.1:9",
            chat_url=SecretStr(server.url),
        )
        async with open_machine(settings, DurableEngine(stepped=True), no_healer, clock) as machine:
            await StoredChat(machine.database, 7, clock).post(message())
            async with run_maintenance(machine, 30, seconds=0.01), asyncio.timeout(20):
                await server.got.wait()
            assert json.loads(server.bodies[0])["text"] == message().text
