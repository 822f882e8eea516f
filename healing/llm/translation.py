"""Translates between the Messages API's blocks, which Heal stores, and the messages of Chat Completions."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from healing.llm.protocol import Block, Effort, Message, Request
from healing.llm.providers import Named, Provider
from healing.model import content_id

MARK = {"type": "ephemeral"}


def body_of(request: Request, named: Named) -> dict[str, Any]:
    """The request as Chat Completions JSON for this provider."""
    provider = named.provider
    body: dict[str, Any] = {
        "model": named.model,
        provider.length: request.max_tokens,
        "messages": list(_messages(request, provider)),
        "tools": [_tool(tool, provider.strict) for tool in request.tools],
    }
    effort = _effort(named, request.effort)
    if effort:
        body["reasoning_effort"] = effort
    if provider.keyed:
        body["prompt_cache_key"] = content_id(request.system, list(request.trunk))
    return {key: value for key, value in body.items() if value != []}


def _effort(named: Named, effort: Effort) -> str:
    """The reasoning effort to request; empty where the model takes none."""
    words = (word or effort for prefix, word in named.provider.efforts if named.model.startswith(prefix))
    return next(words, "")


def _tool(tool: Block, strict: bool) -> dict[str, Any]:
    function = {"name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"]}
    return {"type": "function", "function": {**function, "strict": True} if strict else function}


def _messages(request: Request, provider: Provider) -> Iterator[dict[str, Any]]:
    yield {"role": "system", "content": _parts((request.system,), provider.marks)}
    first, *rest = request.branch
    opening = [block["text"] for block in first.blocks if block["type"] == "text"]
    yield {"role": "user", "content": [*_parts(request.trunk, provider.marks), *_parts(opening, marked=False)]}
    for message in rest:
        yield from _wire_messages(message, provider)


def _parts(texts: tuple[str, ...] | list[str], marked: bool) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    if marked and parts:
        parts[-1]["cache_control"] = MARK
    return parts


def _wire_messages(message: Message, provider: Provider) -> Iterator[dict[str, Any]]:
    texts = [block["text"] for block in message.blocks if block["type"] == "text"]
    if message.role == "assistant":
        calls = [_call(block, provider) for block in message.blocks if block["type"] == "tool_use"]
        yield {"role": "assistant", "content": "\n".join(texts) or None, **({"tool_calls": calls} if calls else {})}
        return
    for block in message.blocks:
        if block["type"] == "tool_result":
            failed = "This failed.\n" if block.get("is_error") else ""
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": failed + block["content"]}
    if texts:
        yield {"role": "user", "content": _parts(texts, marked=False)}


def _call(block: Block, provider: Provider) -> dict[str, Any]:
    function = {"name": block["name"], "arguments": block.get("said", json.dumps(block["input"]))}
    echoed = {key: block[key] for key in provider.echoes if key in block}
    return {"id": block["id"], "type": "function", "function": function, **echoed}


def blocks_of(message: Mapping[str, Any], provider: Provider) -> tuple[Block, ...]:
    """A reply's message as blocks. A call keeps the exact text of its arguments (`said`) and the fields that must be
    echoed; arguments that are not a JSON object are passed on as `unreadable`, which no tool accepts, so that the model
    gets an error."""
    blocks: list[Block] = []
    text = message.get("content") or message.get("refusal")
    if text:
        blocks.append({"type": "text", "text": str(text)})
    for call in message.get("tool_calls") or ():
        function = call.get("function")
        if not function:
            continue
        arguments = str(function.get("arguments") or "{}")
        echoed = {key: call[key] for key in provider.echoes if key in call}
        blocks.append(
            {
                "type": "tool_use",
                "id": str(call.get("id") or f"call_{len(blocks)}"),
                "name": str(function.get("name", "")),
                "input": _arguments(arguments),
                "said": arguments,
                **echoed,
            }
        )
    return tuple(blocks)


def _arguments(message: str) -> dict[str, Any]:
    try:
        arguments = json.loads(message)
    except (ValueError, RecursionError):
        arguments = None
    return arguments if isinstance(arguments, dict) else {"unreadable": message[:300]}
