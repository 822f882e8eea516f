"""A record of what an agent did, step by step, for people; stored however the work ended."""

import json
from typing import Protocol

from healing.llm.prices import cost
from healing.llm.protocol import Block, Request, ToolCall, Turn
from healing.model import Frozen
from healing.repair.agents.fences import truncated
from healing.repair.agents.routing import Routing

KEPT = 4_000  # characters of each text
KEPT_ASKED = 20_000  # and of a tool's arguments: a truncated edit would be useless
MAX_STEPS = 400  # turns of one trajectory


class ToolUse(Frozen):
    """One tool call: its arguments as JSON, and its answer."""

    tool: str
    asked: str
    answered: str
    failed: bool


class AgentStep(Frozen):
    """One turn of the model. `told` is Heal's message before it, without tools' answers; `said` is the model's text;
    `stop` is the turn's; `seconds` and `dollars` are the call's."""

    error_id: str
    turn_id: str
    request_id: str
    stop: str
    said: str
    used: tuple[ToolUse, ...] = ()
    seconds: float = 0.0
    told: str = ""
    dollars: float = 0.0


class Trajectory(Frozen):
    """One agent's work on some errors of one cluster. `ending`: `whole`, or how it broke off. `routing`: all
    specialists' scores for the cluster; `first` are the parts of the message that all its calls begin with."""

    cluster: str
    errors: tuple[str, ...] = ()
    specialist: str
    model: str
    steps: tuple[AgentStep, ...]
    ending: str
    routing: Routing | None = None
    first: tuple[str, ...] = ()


class Trajectories(Protocol):
    """Stores the trajectories of one run."""

    async def save(self, trajectory: Trajectory) -> None:
        """Stores it; replaces the same agent's trajectory on the same errors from before a restart."""
        ...


def step(error_id: str, request: Request, turn: Turn, results: list[Block]) -> AgentStep:
    """A turn with the last user text and the tools' answers, of bounded length."""
    reported = [block["text"] for block in request.branch[-1].blocks if block["type"] == "text"]
    used = [_used(call, result) for call, result in zip(turn.calls, results, strict=False)]
    return AgentStep(
        error_id=error_id,
        turn_id=turn.id,
        request_id=turn.request_id,
        stop=turn.stop,
        said=truncated(turn.text, KEPT),
        used=tuple(used),
        seconds=turn.seconds,
        told=truncated("\n".join(reported), KEPT),
        dollars=cost(request.model, turn.usage),
    )


def _used(call: ToolCall, result: Block) -> ToolUse:
    return ToolUse(
        tool=call.name[:80],
        asked=truncated(json.dumps(call.arguments, ensure_ascii=False), KEPT_ASKED),
        answered=truncated(str(result["content"]), KEPT),
        failed=bool(result["is_error"]),
    )
