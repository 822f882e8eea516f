"""The rules of the Messages API (version 2026-10-21) that a request must keep; what breaks one is answered 400.

Only what Heal could get wrong is here: each rule is a function that gives the vendor's complaint, or None.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.model_standin.replies import Block, Body

VERSION = "2026-10-21"


@dataclass(frozen=True)
class Spec:
    """What one model allows. `bound`: thinking is bound to its prefix; `forced`: a forced tool_choice is taken."""

    cacheable: int
    adaptive: bool = True
    bound: bool = True
    forced: bool = False
    context: int = 1_000_000
    output: int = 128_000


MODELS = {
    "claude-sonnet-5-5": Spec(512),
    "claude-opus-5-5": Spec(512),
    "claude-haiku-5-5": Spec(512, forced=True),
    "claude-sonnet-5": Spec(1024, forced=True),
    "claude-sonnet-4-6": Spec(1024, bound=False, forced=True),
    "claude-haiku-4-5": Spec(4096, adaptive=False, bound=False, forced=True, context=200_000, output=64_000),
}

KNOWN = {"model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "stream"} | {
    "cache_control", "diagnostics", "metadata", "stop_sequences", "service_tier", "temperature", "top_p", "top_k",
}  # fmt: skip


def blocks_of(content: Any) -> list[Block]:
    """Content as a list of blocks."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def marked(body: Body) -> Iterator[tuple[str, Block]]:
    """Every block in the order in which it is rendered, with where it stands: tools, system, messages."""
    yield from (("tools", tool) for tool in body.get("tools", []))
    yield from (("system", block) for block in blocks_of(body.get("system", [])))
    for number, message in enumerate(body.get("messages", [])):
        place = f"messages.{number}.{message['role']}"
        yield from ((place, block) for block in blocks_of(message["content"]))


def bare(block: Block) -> str:
    """The block's content without its cache mark, canonical."""
    return json.dumps({k: v for k, v in block.items() if k != "cache_control"}, sort_keys=True)


def signature(body: Body, count: int) -> str:
    """What binds thinking to everything before message number `count`."""
    before = {**body, "messages": body["messages"][:count]}
    return "sig-" + hashlib.sha256("\n".join(f"{p} {bare(b)}" for p, b in marked(before)).encode()).hexdigest()


def complaint(body: Any, spec: Spec) -> str | None:
    """The first rule that the request breaks."""
    return next((output for rule in RULES if (output := rule(body, spec))), None)


def _fields(body: Body, spec: Spec) -> str | None:
    for key in ("temperature", "top_p", "top_k"):
        if key in body:
            return f"{key}: sampling parameters are not supported"
    if unknown := sorted(set(body) - KNOWN):
        return f"{unknown[0]}: Extra inputs are not permitted"
    if not isinstance(body.get("max_tokens"), int) or not 0 <= body["max_tokens"] <= spec.output:
        return f"max_tokens: must be an integer between 0 and {spec.output}"
    return None if body.get("messages") else "messages: at least one message is required"


def _choice(body: Body, spec: Spec) -> str | None:
    kind = body.get("tool_choice", {}).get("type", "auto")
    if kind in ("any", "tool") and not spec.forced:
        return f"tool_choice: type {kind!r} is not supported by this model"
    return None


def _thinking_kind(body: Body, spec: Spec) -> str | None:
    kind = body.get("thinking", {}).get("type", "adaptive" if spec.adaptive else "disabled")
    if kind == "adaptive" and not spec.adaptive:
        return "thinking: adaptive thinking is not supported by this model"
    if kind == "enabled" and spec.bound:
        return "thinking: budget_tokens is not supported by this model; use adaptive thinking"
    effort = body.get("output_config", {}).get("effort", "high")
    return None if effort in ("low", "medium", "high", "xhigh", "max") else f"output_config.effort: {effort!r}"


def _roles(body: Body, spec: Spec) -> str | None:
    roles = [message["role"] for message in body["messages"]]
    if roles[0] != "user":
        return "messages: first message must use the user role"
    if roles[-1] == "assistant":
        return "This model does not support assistant message prefill. The conversation must end with a user message."
    return None


def _texts(body: Body, spec: Spec) -> str | None:
    for place, block in marked(body):
        if block.get("type") == "text" and not block["text"].strip():
            return f"{place}: text content blocks must contain non-whitespace text"
        if block.get("type") in ("text", "tool_use", "thinking", "tool_result"):
            allowed = ALLOWED[block["type"]] | {"type", "cache_control"}
            if extra := sorted(set(block) - allowed):
                return f"{place}.{block['type']}.{extra[0]}: Extra inputs are not permitted"
    return None


ALLOWED = {
    "text": {"text", "citations"},
    "tool_use": {"id", "name", "input", "caller"},
    "thinking": {"thinking", "signature"},
    "tool_result": {"tool_use_id", "content", "is_error"},
}


def _pairs(body: Body, spec: Spec) -> str | None:
    asked: list[str] = []
    for number, message in enumerate(body["messages"]):
        blocks = blocks_of(message["content"])
        given = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        if missing := [i for i in asked if i not in given]:
            return f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after: " + (
                ", ".join(missing)
            )
        if stray := [i for i in given if i not in asked]:
            return f"messages.{number}: unexpected `tool_use_id` found in `tool_result` blocks: {stray[0]}"
        if given and blocks[0]["type"] != "tool_result":
            return f"messages.{number}: `tool_result` blocks must come first in the content array"
        asked = [b["id"] for b in blocks if b["type"] == "tool_use"]
    return None


def _bound(body: Body, spec: Spec) -> str | None:
    if not spec.bound:
        return None
    for number, message in enumerate(body["messages"]):
        for block in blocks_of(message["content"]):
            if block["type"] == "thinking" and block.get("signature") != signature(body, number):
                return f"messages.{number}: this `thinking` block is bound to a different conversation"
    return None


def _tools(body: Body, spec: Spec) -> str | None:
    tools = body.get("tools", [])
    strict = [tool for tool in tools if tool.get("strict")]
    if len(strict) > 20:
        return "tools: at most 20 strict tools"
    for tool in strict:
        if output := _loose(tool["input_schema"]):
            return f"tools.{tool['name']}: {output}"
    return None


def _loose(schema: Any) -> str | None:
    if isinstance(schema, list):
        return next((output for item in schema if (output := _loose(item))), None)
    if not isinstance(schema, dict):
        return None
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return "For 'object' type, 'additionalProperties' must be explicitly set to false"
    for key in ("minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems"):
        if key in schema:
            return f"property '{key}' is not supported"
    parts = [*schema.get("properties", {}).values(), *(v for k, v in schema.items() if k != "properties")]
    return next((output for part in parts if (output := _loose(part))), None)


def _marks(body: Body, spec: Spec) -> str | None:
    marks = [block["cache_control"] for _, block in marked(body) if block.get("cache_control")]
    if body.get("cache_control"):
        marks.append(body["cache_control"])
    if len(marks) > 4:
        return f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}."
    ttls = [mark.get("ttl", "5m") for mark in marks]
    if "1h" in ttls and "5m" in ttls[: len(ttls) - ttls[::-1].index("1h")]:
        return "cache_control: a ttl='1h' block must not come after a ttl='5m' block"
    return None


RULES: tuple[Callable[[Body, Spec], str | None], ...] = (
    _fields, _choice, _thinking_kind, _roles, _texts, _pairs, _bound, _tools, _marks,
)  # fmt: skip
