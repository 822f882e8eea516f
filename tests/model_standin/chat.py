"""A stand-in for providers that speak Chat Completions: strict as each is, under the real SDK."""

import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from tests.model_standin.cache import tokens_of
from tests.model_standin.replies import Block, Body, Brain, Fault, Reply
from tests.model_standin.reviewers import approving, is_review
from tests.model_standin.server import PAGE, running

Rule = Callable[["Manners", Body], str | None]
SCHEMA_WORDS = {"const", "oneOf", "$schema", "title", "examples", "discriminator"}


@dataclass(frozen=True)
class Manners:
    """How one provider differs; named as in healing/llm/providers.py."""

    length: str = "max_tokens"
    strict: bool = False
    efforts: tuple[str, ...] = ()
    silent: bool = False  # refuses tools unless the effort is `none`
    signs: bool = False  # signs its calls, and wants the signature back
    plain_schemas: bool = False
    prices: float | None = None  # what each call is said to cost
    numbers: bool = False  # error codes are numbers, and an error may come with status 200


MANNERS = {
    "groq": Manners("max_completion_tokens", efforts=("low", "medium", "high", "none", "default")),
    "openai": Manners("max_completion_tokens", strict=True, efforts=("none", "low", "medium", "high"), silent=True),
    "gemini": Manners(efforts=("none", "low", "medium", "high"), signs=True, plain_schemas=True),
    "openrouter": Manners(efforts=("none", "low", "medium", "high"), prices=0.0123, numbers=True),
    "ollama": Manners(),
}
COMMON = {"model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "prompt_cache_key", "stop"}


@dataclass
class Asked:
    """One request as it came, and its status."""

    headers: dict[str, str]
    body: Body
    status: int = 200
    error: str = ""


@dataclass
class ChatStandin:
    """A running stand-in of one provider. `asked` is every request in order."""

    brain: Brain
    provider: str
    key: str = "sk-standin"
    url: str = ""
    reviewer: Brain = approving
    asked: list[Asked] = field(default_factory=list)
    numbers: Any = field(default_factory=lambda: itertools.count(1))
    signed: dict[str, str] = field(default_factory=dict)
    answered: int = 0

    @property
    def manners(self) -> Manners:
        return MANNERS[self.provider]

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/chat/completions", self.completions, methods=["POST"])])

    async def completions(self, request: Request) -> Response:
        body = json.loads(await request.body())
        asked = Asked(dict(request.headers), body)
        self.asked.append(asked)
        if asked.headers.get("authorization") != f"Bearer {self.key}" and self.provider != "ollama":
            return self._error(asked, 401, "invalid_api_key", "Incorrect API key provided")
        if output := self._complaint(body):
            return self._error(asked, 400, "invalid_request_error", output)
        output = as_messages(body)
        reply = (self.reviewer if is_review(output) else self.brain)(output, self.answered)
        if reply.fault:
            return self._fault(asked, reply.fault)
        self.answered += 1
        return JSONResponse(self._completion(body, reply))

    def _complaint(self, body: Body) -> str | None:
        return next((output for rule in RULES if (output := rule(self.manners, body))), None) or self._unsigned(body)

    def _unsigned(self, body: Body) -> str | None:
        for message in body["messages"] if self.manners.signs else ():
            for call in message.get("tool_calls", ()):
                sent = call.get("extra_content", {}).get("google", {}).get("thought_signature")
                if sent != self.signed.get(call["id"]):
                    return "Function call is missing a thought_signature"
        return None

    def _fault(self, asked: Asked, fault: Fault) -> Response:
        if fault.kind == "html":
            return HTMLResponse(PAGE)
        if fault.kind == "drop":
            return JSONResponse({"id": "x", "object": "chat.completion", "choices": []})
        return self._error(asked, fault.status, fault.error_type, fault.message, fault.headers)

    def _error(
        self, asked: Asked, status: int, code: str, output: str, headers: dict[str, str] | None = None
    ) -> Response:
        asked.status, asked.error = status, output
        failed = {"failed_generation": "<function=look>{at: src"} if code == "tool_use_failed" else {}
        reported: Body = {
            "message": output,
            "type": code,
            "param": None,
            "code": status if self.manners.numbers else code,
        }
        inside = self.manners.numbers and status >= 500  # an error that arrives after the headers did
        return JSONResponse({"error": {**reported, **failed}}, 200 if inside else status, headers)

    def _completion(self, body: Body, reply: Reply) -> Body:
        number = next(self.numbers)
        text = "\n".join(b["text"] for b in reply.content if b["type"] == "text")
        calls = [self._call(b, number, i) for i, b in enumerate(reply.content) if b["type"] == "tool_use"]
        reason = {"tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}
        prompt = tokens_of(json.dumps(body["messages"]))
        usage: Body = {
            "prompt_tokens": prompt,
            "completion_tokens": reply.output_tokens or tokens_of(json.dumps(reply.content)),
            "total_tokens": prompt + 1,
            "prompt_tokens_details": {"cached_tokens": prompt // 2},
        }
        if self.manners.prices is not None:
            usage["cost"] = self.manners.prices
        message: Body = {"role": "assistant", "content": text or None}
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": reason.get(reply.reason(), "stop"),
                    "message": {**message, **({"tool_calls": calls} if calls else {})},
                }
            ],
            "usage": usage,
        }

    def _call(self, block: Block, number: int, index: int) -> Body:
        name = f"call_{number:03}_{index}"
        output = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
        call: Body = {"id": name, "type": "function", "function": {"name": block["name"], "arguments": output}}
        if self.manners.signs:
            self.signed[name] = f"sig-{name}"
            call["extra_content"] = {"google": {"thought_signature": self.signed[name]}}
        return call


def _fields(manners: Manners, body: Body) -> str | None:
    allowed = COMMON | {manners.length} | ({"reasoning_effort"} if manners.efforts else set())
    extra = sorted(set(body) - allowed)
    return f"Unsupported parameter: {extra[0]}" if extra else None


def _effort(manners: Manners, body: Body) -> str | None:
    effort = body.get("reasoning_effort")
    if effort is not None and effort not in manners.efforts:
        return f"reasoning_effort: {effort!r}"
    if manners.silent and body.get("tools") and effort != "none":
        return "Function tools with reasoning_effort are not supported in /v1/chat/completions; use /v1/responses"
    return None


def _tools(manners: Manners, body: Body) -> str | None:
    for tool in body.get("tools", ()):
        if "strict" in tool["function"] and not manners.strict:
            return "tools.function.strict: unknown field"
        if manners.plain_schemas and _words(tool["function"]["parameters"]) & SCHEMA_WORDS:
            return "Invalid JSON payload received. Unknown name in parameters"
    return None


def _words(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*(_words(item) for item in schema), set())
    if not isinstance(schema, dict):
        return set()
    inner = [_words(v) for k, v in schema.items() if k != "properties"]
    inner += [_words(v) for v in schema.get("properties", {}).values()]
    return set(schema).union(*inner)


def _pairs(manners: Manners, body: Body) -> str | None:
    owed: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in owed:
                return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
            owed.remove(message["tool_call_id"])
        elif owed:
            return f"tool_call_ids did not have response messages: {owed[0]}"
        owed += [call["id"] for call in message.get("tool_calls", ())]
    return "the conversation must end with a user or tool message" if owed else None


RULES: tuple[Rule, ...] = (_fields, _effort, _tools, _pairs)


def as_messages(body: Body) -> Body:
    """The request as the brains know it: the Messages API's shape."""
    messages: list[Body] = []
    for message in body["messages"][1:]:
        if message["role"] == "tool":
            block = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
            if messages and messages[-1]["role"] == "user" and isinstance(messages[-1]["content"], list):
                messages[-1]["content"].append(block)
            else:
                messages.append({"role": "user", "content": [block]})
            continue
        content = message.get("content") or []
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        for call in message.get("tool_calls", ()):
            arguments = call["function"]["arguments"]
            blocks.append({"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": arguments})
        messages.append({"role": message["role"], "content": blocks})
    return {"model": body["model"], "messages": messages, "tools": body.get("tools", [])}


@contextlib.asynccontextmanager
async def serve_chat(brain: Brain, provider: str, port: int = 0) -> AsyncIterator[ChatStandin]:
    """A provider's stand-in on a free port of loopback."""
    standin = ChatStandin(brain, provider)
    async with running(standin.app(), port) as url:
        standin.url = f"{url}/v1"
        yield standin
