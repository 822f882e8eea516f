"""Requests to models and their replies as values, and the one method that every provider implements.

Each call is a durable step, so both sides pass through JSON unchanged, and a request is identified by its content.
Blocks have the shape of the Messages API, in which they are also stored; other providers translate.
"""

from typing import Any, Literal, Protocol

from healing.model import Frozen, content_id

Block = dict[str, Any]
Effort = Literal["low", "medium", "high"]
Stop = Literal["tools", "end", "length", "refusal", "context", "paused"]
Kept = Literal["5m", "1h"]  # how long the cache keeps an entry after its last use
# The most tokens of a reply, by reasoning effort, because thinking counts as output; a call's worst case is reserved in
# the budget.
OUTPUT: dict[Effort, int] = {"low": 6_000, "medium": 10_000, "high": 16_000}
MAX_OUTPUT = 20_000  # after a truncated reply; above 21,333 the vendor demands streaming


class Message(Frozen):
    """One message of a branch. An assistant's blocks are exactly those of its `Turn`: signatures are bound to them."""

    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]


class Request(Frozen):
    """One call. `tools`, `system` and `trunk` are the same bytes for a whole cluster and are cached; `branch` starts
    with a user message, which is appended to the trunk's. `trunk_ttl` is `1h` only where checks are slow.

    `after` is the id of this branch's previous reply: with it the vendor reports why a cache was missed.
    """

    model: str
    system: str
    tools: tuple[Block, ...]
    trunk: tuple[str, ...]
    branch: tuple[Message, ...]
    effort: Effort
    max_tokens: int = OUTPUT["high"]
    trunk_ttl: Kept = "5m"
    after: str | None = None

    def key(self) -> str:
        """The key of this call among the durable steps."""
        return content_id(self.model_dump(mode="json"), length=64)


class Usage(Frozen):
    """Billed tokens. `input_tokens` excludes what was read from or written to the cache. `billed_dollars` is the cost
    as the provider reports it, if it does. `batched`: at the rate of batches."""

    input_tokens: int = 0
    write_5m_tokens: int = 0
    write_1h_tokens: int = 0
    cache_read_tokens: int = 0
    output_tokens: int = 0
    thinking_tokens: int = 0
    billed_dollars: float | None = None
    batched: bool = False

    @property
    def prompt_tokens(self) -> int:
        """All input tokens, however they were billed."""
        return self.input_tokens + self.write_5m_tokens + self.write_1h_tokens + self.cache_read_tokens


class ToolCall(Frozen):
    """A tool call by the model. The arguments are untrusted and unchecked."""

    id: str
    name: str
    arguments: dict[str, Any]


class Turn(Frozen):
    """One complete reply. Tools may be run only where `stop` is `tools`: otherwise the calls are missing or truncated.

    `detail` is the refusal's category; `cache_miss` the vendor's reason, if it gave one.
    """

    id: str
    stop: Stop
    blocks: tuple[Block, ...]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    detail: str = ""
    cache_miss: str = ""
    request_id: str = ""
    seconds: float = 0.0


class Model(Protocol):
    """One model of one provider."""

    name: str

    async def complete(self, request: Request) -> Turn:
        """One attempt, complete or not at all. Raises a ModelError (healing/llm/errors.py)."""
        ...
