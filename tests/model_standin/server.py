"""The stand-in itself: routes, authorisation, billing, the log of what was asked, and faults of the line."""

import asyncio
import contextlib
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from tests.model_standin.batches import BatchDesk
from tests.model_standin.cache import Account, Cache, Step, divergence, prompt_steps, tokens_of
from tests.model_standin.replies import Block, Body, Brain, Fault, Hook, Reply
from tests.model_standin.reviewers import approving, is_review
from tests.model_standin.rules import MODELS, VERSION, Spec, complaint, signature
from tests.model_standin.sse import EventStream, events

PAGE = "<html><body><h1>502</h1>a proxy that says 200</body></html>"


@dataclass
class Exchange:
    """One request as it came, and how it was answered."""

    path: str
    headers: dict[str, str]
    body: Body
    status: int = 0
    error: str = ""
    message: Body = field(default_factory=dict)

    @property
    def usage(self) -> dict[str, Any]:
        return self.message.get("usage", {})


@dataclass
class Standin:
    """A running stand-in. `asked` is every request in order; `answered` those that got a model's reply."""

    brain: Brain
    clock: Callable[[], float]
    key: str = "sk-ant-standin"
    url: str = ""
    before: Hook | None = None
    after: Hook | None = None
    reviewer: Brain = approving
    asked: list[Exchange] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cache = Cache(self.clock)
        self.numbers = itertools.count(1)
        self.prompts: dict[str, list[Step]] = {}
        self.batches = BatchDesk(self)

    @property
    def answered(self) -> list[Exchange]:
        return [exchange for exchange in self.asked if exchange.message]

    def cached_share(self) -> float:
        """The part of all input tokens that was read from the cache."""
        read = sum(e.usage["cache_read_input_tokens"] for e in self.answered)
        rest = sum(e.usage["input_tokens"] + e.usage["cache_creation_input_tokens"] for e in self.answered)
        return read / max(read + rest, 1)

    def cache_misses(self) -> list[str]:
        """The vendor's reasons for missed caches, in order."""
        found = [(e.message.get("diagnostics") or {}).get("cache_miss_reason") for e in self.answered]
        return [reason["type"] for reason in found if reason]

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/messages", self.messages, methods=["POST"]),
                Route("/v1/messages/count_tokens", self.count_tokens, methods=["POST"]),
                Route("/v1/models", self.models),
                *self.batches.routes(),
            ]
        )

    async def models(self, request: Request) -> Response:
        data = [{"type": "model", "id": name, "display_name": name, "created_at": "2026-09-28T00:00:00Z"}
                for name in MODELS]  # fmt: skip
        return JSONResponse({"data": data, "has_more": False, "first_id": data[0]["id"], "last_id": data[-1]["id"]})

    async def count_tokens(self, request: Request) -> Response:
        exchange, spec, refusal = await self._admit(request)
        if spec is None:
            return refusal
        exchange.status = 200
        return JSONResponse({"input_tokens": prompt_steps(exchange.body)[-1].total})

    async def messages(self, request: Request) -> Response:
        exchange, spec, refusal = await self._admit(request)
        if spec is None:
            return refusal
        number = len(self.answered)
        account = self.cache.account(exchange.body, spec)  # as it is on arrival
        if self.before:
            await self.before(exchange.body, number)
        reply = (self.reviewer if is_review(exchange.body) else self.brain)(exchange.body, number)
        if reply.fault and reply.fault.kind in ("status", "hang", "html"):
            return await self._fail(exchange, reply.fault, request)
        message = self._message(exchange.body, reply, account)
        exchange.status = 200
        self.cache.write(account)
        if not reply.fault or reply.fault.kind == "cut_json":
            exchange.message = message
        if self.after:
            await self.after(exchange.body, number)
        if exchange.body.get("stream"):
            return EventStream(events(message, reply.fault), _limits())
        if reply.fault and reply.fault.kind != "cut_json":
            return _Dropped(json.dumps(message).encode())
        return JSONResponse(message, headers=_limits())

    def answer_in_batch(self, body: Body, reply: Reply, spec: Spec) -> Body:
        """One item of a batch: billed by itself, at the rate of batches."""
        exchange = Exchange("/v1/messages/batches", {}, body, status=200)
        exchange.message = self._message(body, reply, self.cache.account(body, spec))
        exchange.message["usage"]["service_tier"] = "batch"
        self.asked.append(exchange)
        return exchange.message

    async def _admit(self, request: Request) -> tuple[Exchange, Spec | None, Response]:
        raw = await request.body()
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        exchange = Exchange(request.url.path, dict(request.headers), body)
        self.asked.append(exchange)
        counting = request.url.path.endswith("count_tokens")
        output = self._refusal(exchange, counting)
        return exchange, None if output else MODELS[body["model"]], self._error(exchange, *(output or (500, "", "")))

    def _refusal(self, exchange: Exchange, counting: bool) -> tuple[int, str, str] | None:
        headers, body = exchange.headers, exchange.body
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if given != self.key:
            return 401, "authentication_error", "invalid x-api-key"
        if headers.get("anthropic-version") != VERSION:
            return 400, "invalid_request_error", f"anthropic-version: must be {VERSION}"
        spec = MODELS.get(str(body.get("model")))
        if spec is None:
            return 404, "not_found_error", f"model: {body.get('model')}"
        if counting and "max_tokens" in body:
            return 400, "invalid_request_error", "max_tokens: Extra inputs are not permitted"
        if output := complaint({**body, "max_tokens": 1} if counting else body, spec):
            return 400, "invalid_request_error", output
        total = prompt_steps(body)[-1].total
        if total > spec.context:
            return 400, "invalid_request_error", f"prompt is too long: {total} tokens > {spec.context} maximum"
        return None

    def _error(
        self, exchange: Exchange, status: int, kind: str, output: str, headers: dict[str, str] | None = None
    ) -> Response:
        if kind:
            exchange.status, exchange.error = status, output
        body = {"type": "error", "error": {"type": kind, "message": output}, "request_id": f"req_{len(self.asked):04}"}
        return JSONResponse(body, status, {**_limits(), "request-id": f"req_{len(self.asked):04}", **(headers or {})})

    async def _fail(self, exchange: Exchange, fault: Fault, request: Request) -> Response:
        if fault.kind == "hang":
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(fault.seconds):
                    await _gone(request)
        if fault.kind == "html":
            exchange.status = 200
            return HTMLResponse(PAGE)
        return self._error(exchange, fault.status, fault.error_type, fault.message, fault.headers)

    def _message(self, body: Body, reply: Reply, account: Account) -> Body:
        number = next(self.numbers)
        blocks: list[Block] = []
        if MODELS[body["model"]].bound and body.get("thinking", {}).get("type") != "disabled":
            sign = signature(body, len(body["messages"]))
            blocks.append({"type": "thinking", "thinking": "", "signature": sign})
        for index, block in enumerate(reply.content):
            blocks.append({**block, "id": f"toolu_{number:04}_{index}"} if block["type"] == "tool_use" else block)
        if reply.fault and reply.fault.kind == "cut_json":
            blocks[-1] = {**blocks[-1], "input": _first_half(blocks[-1]["input"])}
        spent = reply.output_tokens or tokens_of(json.dumps(reply.content))
        return {
            "id": f"msg_{number:04}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": blocks,
            "stop_reason": reply.reason(),
            "stop_sequence": None,
            "stop_details": {"type": "refusal", "category": reply.refusal, "explanation": None}
            if reply.refusal
            else None,
            "usage": {**account.usage(), "output_tokens": min(spent, body["max_tokens"])},
            "diagnostics": self._diagnose(body, f"msg_{number:04}"),
        }

    def _diagnose(self, body: Body, name: str) -> dict[str, object] | None:
        steps = self.prompts[name] = prompt_steps(body)
        previous = body.get("diagnostics", {}).get("previous_message_id")
        if previous is None:
            return None
        if previous not in self.prompts:
            return {"cache_miss_reason": {"type": "previous_message_not_found"}}
        return {"cache_miss_reason": divergence(self.prompts[previous], steps)}


class _Dropped(Response):
    """Promises a whole body, sends half of it, and cuts the connection."""

    def __init__(self, whole: bytes) -> None:
        super().__init__(whole[: len(whole) // 2], media_type="application/json")
        self.headers["content-length"] = str(len(whole))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _first_half(arguments: Block) -> Block:
    kept = dict(list(arguments.items())[: max(len(arguments) // 2, 1)])
    return {key: value[: len(value) // 2] if isinstance(value, str) else value for key, value in kept.items()}


def _limits() -> dict[str, str]:
    kinds = ("requests", "tokens", "input-tokens", "output-tokens")
    return {
        f"anthropic-ratelimit-{kind}-{what}": value
        for kind in kinds
        for what, value in (("limit", "4000"), ("remaining", "3999"), ("reset", "2026-11-21T00:01:00Z"))
    }


@contextlib.asynccontextmanager
async def serve(
    brain: Brain,
    clock: Callable[[], float] = time.monotonic,
    before: Hook | None = None,
    after: Hook | None = None,
    port: int = 0,
) -> AsyncIterator[Standin]:
    """A stand-in on a free port of loopback. `before` and `after` are awaited around the brain's answer."""
    standin = Standin(brain, clock, before=before, after=after)
    async with running(standin.app(), port) as url:
        standin.url = url
        yield standin


@contextlib.asynccontextmanager
async def running(app: Starlette, port: int = 0) -> AsyncIterator[str]:
    """Serves the app on loopback for as long as the context lasts; gives its address."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, log_config=None, log_level="critical", lifespan="off", ws="none",
        http="h11", timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    try:
        while not server.started:
            if task.done():
                await task
            await asyncio.sleep(0.005)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        server.force_exit = True
        await task
