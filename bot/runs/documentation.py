"""Documentation look-up through the MCP server that the operator configured (healing.repair.agents.docs.Docs).

The server's responses are untrusted: limited in size and time, and only text is used. Its tool descriptions are never
shown to a model; Heal selects the tools itself, by their names and arguments.
"""

import asyncio
import re
import shlex
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr, ValidationError

from bot.settings import Settings
from healing.repair.agents.docs import NoAnswer

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult, Tool

SECONDS = 20.0  # for a whole look-up
MAX_BYTES = 4 << 20  # of one response on the wire
MAX_CHARACTERS = 20_000  # of the text that is passed on
GO_ON = "Go on from the code alone."
_NAMES_A_LIBRARY = re.compile(r"resolve.{0,10}librar|find.{0,10}librar|search.{0,10}librar", re.I)
_TELLS = re.compile(r"doc|quer|search|ask|read", re.I)
_LIBRARY_ID = re.compile(r"(?<![\w/])/[\w.-]{1,100}/[\w.-]{1,100}(?:/[\w.-]{1,60})?")


def documentation(settings: Settings) -> "McpDocs | None":
    """Returns the server that the operator configured, or None."""
    url, command = settings.docs_mcp_url, settings.docs_mcp_command
    return McpDocs(url, command, settings.docs_mcp_token, settings.docs_mcp_tool) if url or command else None


@dataclass(frozen=True)
class McpDocs:
    """One server: `url` for streamable HTTP, else `command`, a program that communicates over its standard streams.
    `tool` names the tool to call; if empty it is chosen by its name."""

    url: str = ""
    command: str = ""
    token: SecretStr = field(default_factory=lambda: SecretStr(""))
    tool: str = ""
    seconds: float = SECONDS

    async def look_up(self, library: str, question: str) -> str:
        """Returns the server's answer. Raises NoAnswer for all errors of the server or the connection."""
        from httpx2 import HTTPError
        from mcp.shared.exceptions import MCPError

        wrong = (MCPError, HTTPError, OSError, ValidationError, ValueError, RuntimeError)
        try:
            async with asyncio.timeout(self.seconds), self._connected() as client:
                return await self._ask(client, library, question)
        except TimeoutError as error:
            raise NoAnswer(f"The documentation server gave no answer in {self.seconds:g} seconds. {GO_ON}") from error
        except wrong as error:
            raise NoAnswer(f"The documentation server failed: {_message(error)}. {GO_ON}") from error
        except ExceptionGroup as group:
            leaves = list(_leaves(group))
            if not all(isinstance(error, (*wrong, NoAnswer)) for error in leaves):
                raise
            no_answer = next((error for error in leaves if isinstance(error, NoAnswer)), None)
            raise no_answer or NoAnswer(f"The documentation server failed: {_message(leaves[0])}. {GO_ON}") from group

    @asynccontextmanager
    async def _connected(self) -> "AsyncIterator[Client]":
        from mcp import Client, StdioServerParameters

        if not self.url:
            program, *arguments = shlex.split(self.command)
            async with Client(StdioServerParameters(command=program, args=arguments)) as client:
                yield client
            return
        from httpx2 import AsyncClient
        from mcp.client.streamable_http import streamable_http_client

        token = self.token.get_secret_value()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        http = AsyncClient(headers=headers, timeout=self.seconds, transport=_bounded_transport())
        async with http, Client(streamable_http_client(self.url, http_client=http)) as client:
            yield client

    async def _ask(self, client: "Client", library: str, question: str) -> str:
        tools = (await client.list_tools()).tools
        answering = self._answering(tools)
        values = {"library": library, "question": question}
        if any(_means(name) == "id" for name in _properties(answering)):
            values["id"] = await _library_id(client, tools, values)
        return _text(await client.call_tool(answering.name, _arguments(answering, values)))

    def _answering(self, tools: "list[Tool]") -> "Tool":
        """Returns the tool that answers questions. Raises NoAnswer if there is none."""
        if self.tool:
            fitting = [tool for tool in tools if tool.name == self.tool]
        else:
            fitting = [tool for tool in tools if _TELLS.search(tool.name) and not _NAMES_A_LIBRARY.search(tool.name)]
        if not fitting:
            names = ", ".join(repr(tool.name)[:60] for tool in tools[:20]) or "none"
            raise NoAnswer(f"The documentation server has no tool that answers questions (it has {names}). {GO_ON}")
        return fitting[0]


async def _library_id(client: "Client", tools: "list[Tool]", values: dict[str, str]) -> str:
    """Returns the server's id of the library. Raises NoAnswer."""
    resolving = next((tool for tool in tools if _NAMES_A_LIBRARY.search(tool.name)), None)
    if resolving is None:
        raise NoAnswer(f"The documentation server does not say how it names libraries. {GO_ON}")
    match = _LIBRARY_ID.search(_text(await client.call_tool(resolving.name, _arguments(resolving, values))))
    if match is None:
        raise NoAnswer("The documentation server knows no library of that name. Try the name of its package.")
    return match[0]


def _properties(tool: "Tool") -> dict[str, Any]:
    properties = tool.input_schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _arguments(tool: "Tool", values: dict[str, str]) -> dict[str, str]:
    """Returns the tool's arguments, as far as Heal has values for them. Raises NoAnswer if it requires others."""
    given = {name: values[_means(name)] for name in _properties(tool) if _means(name) in values}
    needed = tool.input_schema.get("required") or []
    missing = [name for name in needed if name not in given] if isinstance(needed, list) else []
    if missing:
        raise NoAnswer(f"The documentation server's tool wants {missing[0]!r:.60}, which Heal does not have. {GO_ON}")
    return given


def _means(name: str) -> str:
    """Returns which of Heal's values an argument of that name gets; empty if none."""
    low = name.lower()
    if re.search(r"librar.{0,10}id|package.{0,10}id", low):
        return "id"
    if re.search(r"librar|package|project", low):
        return "library"
    return "question" if re.search(r"quer|question|topic|search|text|prompt|^q$", low) else ""


def _text(result: "CallToolResult") -> str:
    """Returns the text parts of a result. Raises NoAnswer if the tool reports an error or returns no text."""
    parts = [str(part.text) for part in result.content if part.type == "text"]
    text = "\n".join(parts)[:MAX_CHARACTERS].strip()
    if result.is_error or not text:
        raise NoAnswer(f"The documentation server found nothing{': ' if text else ''}{text[:300]}. Ask in other words.")
    return text


def _bounded_transport() -> Any:
    """Returns an HTTP transport that aborts responses larger than MAX_BYTES."""
    from httpx2 import AsyncByteStream, AsyncHTTPTransport, DecodingError, Request, Response

    class Bounded(AsyncByteStream):
        def __init__(self, inner: AsyncByteStream) -> None:
            self.inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            seen = 0
            async for piece in self.inner:
                seen += len(piece)
                if seen > MAX_BYTES:
                    raise DecodingError(f"its answer is longer than {MAX_BYTES >> 20} MiB")
                yield piece

        async def aclose(self) -> None:
            await self.inner.aclose()

    class Transport(AsyncHTTPTransport):
        async def handle_async_request(self, request: Request) -> Response:
            request.headers["Accept-Encoding"] = "identity"  # a few compressed bytes could expand to gigabytes
            response = await super().handle_async_request(request)
            if isinstance(response.stream, AsyncByteStream):
                response.stream = Bounded(response.stream)
            if response.headers.get("content-encoding", "identity") != "identity":
                raise DecodingError("it packs its answers though it was asked not to")
            return response

    return Transport()


def _leaves(group: BaseException) -> Iterator[BaseException]:
    if isinstance(group, BaseExceptionGroup):
        for error in group.exceptions:
            yield from _leaves(error)
    else:
        yield group


def _message(error: BaseException) -> str:
    """Returns the error in one line of limited length, since the text may come from the server."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
