"""What Heal says to a model and what it gets back, as values: the one method that every provider implements.

Each call is a durable step, so both sides go through JSON unchanged, and a request is known by its content. Blocks are
in the shape of the Messages API, which is also the shape they are stored in; other providers translate.
"""

from typing import Any, Literal, Protocol

from healing.model import Frozen, content_id

Block = dict[str, Any]
Effort = Literal["low", "medium", "high"]
Stop = Literal["tools", "end", "length", "refusal", "context", "paused"]
Kept = Literal["5m", "1h"]  # how long the cache keeps what was last read so long ago
# Tokens that a reply may have, by how hard a task is to think about, because thinking counts against them; a call's
# worst case is held in the budget.
OUTPUT: dict[Effort, int] = {"low": 6_000, "medium": 10_000, "high": 16_000}
MOST_OUTPUT = 20_000  # after a reply that was cut; above 21,333 the vendor demands streaming


class Message(Frozen):
    """One message of a branch. An assistant's blocks are exactly those of its `Turn`: signatures are bound to them."""

    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]


class Request(Frozen):
    """One call. `tools`, `system` and `trunk` are the same bytes for a whole cluster and are cached; `branch`
    starts with a user message, which joins the trunk's. `trunk_ttl` is `1h` only where checks are slow.

    `after` is the id of this branch's previous reply: the vendor then says why a cache was missed.
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
        """The name of this call among the durable steps."""
        return content_id(self.model_dump(mode="json"), length=64)


class Usage(Frozen):
    """Billed tokens. `input_tokens` excludes what was read from or written to the cache. `billed_dollars` is what the
    provider itself says that the call cost, where it does. `batched`: at the rate of batches."""

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
        """All tokens that went in, however they were billed."""
        return self.input_tokens + self.write_5m_tokens + self.write_1h_tokens + self.cache_read_tokens


class ToolCall(Frozen):
    """A tool that the model asks for. The arguments are untrusted and unchecked."""

    id: str
    name: str
    arguments: dict[str, Any]


class Turn(Frozen):
    """One whole reply. Tools may be run only where `stop` is `tools`: else the calls are missing or cut.

    `detail` is the refusal's category; `cache_miss` the vendor's reason, where it gave one.
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
        """One attempt, whole or not at all. Raises a ModelError (healing/llm/errors.py)."""
        ...
