"""The same errors in four designs: trunk and branches that keep what was read, the same without that, one conversation
that only grows, an agent for each error."""

import re
from typing import Any

from benchmarks.agents.stage import LINT, Shift, cluster_of, clusters_of, shift
from healing.llm.protocol import Block, Message, Model, Request, Turn
from tests.pipeline.bench import Bench

CLUSTERS, CAUSES, ERRORS = 4, 4, 2  # as in the published run: 16 clusters, 60 causes, 120 errors
Row = dict[str, Any]


KEPT = re.compile(r"^What you read before, as your scratch copy has it now.*?^data \w+>>\n?", re.M | re.S)


def _forgotten(message: Message) -> Message:
    """A user's message without what was read before."""
    blocks = ({**b, "text": KEPT.sub("", b["text"])} if b["type"] == "text" else b for b in message.blocks)
    return message.model_copy(update={"blocks": tuple(blocks)})


class Forgetful:
    """What Heal would ask if a branch began without what was read in those before it."""

    def __init__(self, real: Model) -> None:
        self.name, self.real = real.name, real

    async def complete(self, request: Request) -> Turn:
        """One attempt, with an opening that says nothing of it."""
        first, *more = request.branch
        return await self.real.complete(request.model_copy(update={"branch": (_forgotten(first), *more)}))


class AppendOnly:
    """What Heal would ask if it dropped nothing: each branch goes on where the one before it ended."""

    def __init__(self, real: Model) -> None:
        self.name, self.real = real.name, real
        self._said: dict[tuple[str, ...], list[Message]] = {}
        self._last: dict[tuple[str, ...], str] = {}

    async def complete(self, request: Request) -> Turn:
        """One attempt, with everything that was ever said about the cluster."""
        output = self._said.setdefault(request.trunk, [])
        new = _forgotten(request.branch[-1])  # it is there already
        output.append(new.model_copy(update={"blocks": (*_answers(output, new), *new.blocks)}))
        after = self._last.get(request.trunk)
        turn = await self.real.complete(request.model_copy(update={"branch": tuple(output), "after": after}))
        output.append(Message(role="assistant", blocks=turn.blocks))
        self._last[request.trunk] = turn.id
        return turn


def _answers(output: list[Message], new: Message) -> list[Block]:
    """Results of the last calls where the new message lacks them: a branch ends with the call that settles it."""
    given = {block.get("tool_use_id") for block in new.blocks}
    return [
        {"type": "tool_result", "tool_use_id": block["id"], "content": "Accepted. That settles it.", "is_error": False}
        for block in (output[-1].blocks if output else ())
        if block["type"] == "tool_use" and block["id"] not in given
    ]


async def designs(bench: Bench) -> tuple[list[Row], dict[str, Shift]]:
    """All on the very same errors. Rows, and the shifts by name."""
    clusters, errors = clusters_of((LINT,) * CLUSTERS, CAUSES, ERRORS)
    alone = [cluster_of(error.id, [[error]]) for error in errors]
    done = {
        "trunk": await shift(bench, clusters, errors),
        "forgetful": await shift(bench, clusters, errors, wrap=Forgetful),
        "append-only": await shift(bench, clusters, errors, wrap=AppendOnly),
        "alone": await shift(bench, alone, errors),
    }
    names = {
        "trunk": "trunk and branches",
        "forgetful": "the same, nothing that was read is kept",
        "append-only": "append-only history (peer)",
        "alone": "one agent for each error (peer)",
    }
    return [row_of(names[key], one, len(errors)) for key, one in done.items()], done


def row_of(name: str, one: Shift, errors: int) -> Row:
    """Calls, tokens, money of a shift."""
    spent = one.spending
    inwards = spent.input_tokens + spent.cache_write_tokens + spent.cache_read_tokens
    return {
        "measured": name,
        "errors": errors,
        "calls per error": round(spent.calls / errors, 2),
        "tokens per error": round((inwards + spent.output_tokens) / errors),
        "cached %": round(100 * spent.cache_read_tokens / inwards, 1),
        "dollars": round(spent.dollars, 4),
    }
