"""Documentation look-up against real MCP servers, also such as answer badly: bounded, and always with a way out."""

import asyncio
import shlex
import sys
import time
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from bot.runs.documentation import MAX_CHARACTERS, McpDocs, documentation
from bot.settings import read_settings
from healing.repair.agents.docs import NoAnswer
from tests.bot.docs_server import library_server, odd_server, search_server, serving, serving_docs

COMMAND = shlex.join([sys.executable, "-m", "tests.bot.docs_server"])


# AG-2
@pytest.mark.parametrize("json_response", [False, True])
async def test_a_library_is_resolved_and_its_documentation_asked(json_response: bool) -> None:
    async with serving_docs(library_server(), json_response) as url:
        output = await McpDocs(url=url).look_up("requests", "timeouts")
    assert output.startswith("/psf/requests: timeouts: pass timeout=(3, 10)")


# AG-2
async def test_a_server_may_be_a_program_and_gets_nothing_of_heals_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEAL_CANARY", "canary-of-the-operator")
    output = await McpDocs(command=COMMAND).look_up("requests", "timeouts")
    assert "pass timeout=(3, 10)" in output
    assert "HEAL_CANARY=None" in output


# AG-2
async def test_a_server_with_one_search_tool_is_asked_the_question() -> None:
    async with serving_docs(search_server()) as url:
        assert await McpDocs(url=url).look_up("requests", "timeouts") == "found: timeouts"
        assert await McpDocs(url=url, tool="search_docs").look_up("requests", "x") == "found: x"
        with pytest.raises(NoAnswer, match=r"no tool that answers questions .it has 'search_docs'"):
            await McpDocs(url=url, tool="other").look_up("requests", "timeouts")


# AG-2
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("fails", r"^The documentation server found nothing: Error executing tool"),
        ("silent", r"found nothing\. Ask in other words"),
    ],
)
async def test_a_tool_that_fails_or_says_nothing_is_an_answer_with_a_way_out(kind: str, words: str) -> None:
    async with serving_docs(search_server(kind)) as url:
        with pytest.raises(NoAnswer, match=words):
            await McpDocs(url=url).look_up("requests", "timeouts")


# AG-2
async def test_an_unknown_library_is_named_as_such() -> None:
    async with serving_docs(library_server()) as url:
        with pytest.raises(NoAnswer, match=r"knows no library of that name. Try the name of its package"):
            await McpDocs(url=url).look_up("reqests", "timeouts")


# AG-2
async def test_a_server_whose_tools_want_other_things_is_not_asked() -> None:
    async with serving_docs(odd_server()) as url:
        with pytest.raises(NoAnswer, match="wants 'api_password', which Heal does not have"):
            await McpDocs(url=url).look_up("requests", "timeouts")


# AG-2
@pytest.mark.parametrize("json_response", [False, True])
async def test_a_huge_answer_is_cut_off_on_the_wire(json_response: bool) -> None:
    async with serving_docs(search_server("huge"), json_response) as url:
        with pytest.raises(NoAnswer, match="documentation server"):
            await McpDocs(url=url).look_up("requests", "timeouts")


# AG-2
async def test_a_long_answer_is_cut_before_it_is_handed_on() -> None:
    server = search_server()
    async with serving_docs(server) as url:
        output = await McpDocs(url=url).look_up("requests", "y" * (MAX_CHARACTERS + 100))
    assert len(output) == MAX_CHARACTERS


# AG-2
async def test_a_server_that_hangs_is_left_after_its_time() -> None:
    async with serving_docs(search_server("hangs")) as url:
        begun = time.monotonic()
        with pytest.raises(NoAnswer, match=r"no answer in 1 seconds. Go on from the code alone"):
            await McpDocs(url=url, seconds=1).look_up("requests", "timeouts")
        assert time.monotonic() - begun < 6


async def page(_: Request) -> Response:
    return HTMLResponse("<html>Sign in</html>")


async def refused(request: Request) -> Response:
    return JSONResponse({"said": request.headers.get("authorization")}, 401)


async def elsewhere(_: Request) -> Response:
    return RedirectResponse("http://127.0.0.1:9/mcp", 307)


async def nonsense(_: Request) -> Response:
    return JSONResponse({"jsonrpc": "1.0", "tools": "all of them"})


async def endless(_: Request) -> Response:
    async def pieces() -> Any:
        while True:
            yield b"data: " + b"x" * 65_536
            await asyncio.sleep(0)

    return StreamingResponse(pieces(), media_type="text/event-stream")


# AG-2
@pytest.mark.parametrize("answer", [page, refused, elsewhere, nonsense, endless])
async def test_what_speaks_no_mcp_is_an_answer_with_a_way_out(answer: Any) -> None:
    app = Starlette(routes=[Route("/mcp", answer, methods=["GET", "POST", "DELETE"])])
    async with serving(app) as url:
        with pytest.raises(NoAnswer, match="Go on from the code alone"):
            await McpDocs(url=url, seconds=5, token=SecretStr("s3cret")).look_up("requests", "timeouts")


# AG-2
@pytest.mark.parametrize("command", ["/no/such/program", "false", "yes", "cat /dev/zero", "sleep 60"])
async def test_a_program_that_speaks_no_mcp_is_an_answer_with_a_way_out(command: str) -> None:
    with pytest.raises(NoAnswer, match="Go on from the code alone"):
        await McpDocs(command=command, seconds=1).look_up("requests", "timeouts")


# AG-2, OP-7
def test_who_answers_is_for_the_operator_alone_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    assert documentation(read_settings()) is None
    monkeypatch.setenv("HEAL_DOCS_MCP_URL", "https://docs.example/mcp")
    monkeypatch.setenv("HEAL_DOCS_MCP_TOKEN", "s3cret")
    docs = documentation(read_settings())
    assert docs is not None
    assert docs.url == "https://docs.example/mcp"
    assert "s3cret" not in repr(docs)
