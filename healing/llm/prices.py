"""What a model costs, from the dated table in prices.toml; a model that is not in it is refused (LM-6)."""

import tomllib
from datetime import date
from functools import cache
from importlib.resources import files

from pydantic import BaseModel

from healing.llm.protocol import Request, Usage
from healing.model import Frozen

MILLION = 1_000_000
OVERHEAD_TOKENS = 2_000  # the vendor's own hidden tool prompt and framing; 250-700 were measured


class UnknownModel(Exception):
    """There is no price for this model."""


class Price(Frozen):
    """US dollars per million tokens of one model for prompts above `above` tokens."""

    model: str
    above: int = 0
    input: float
    output: float
    write_5m: float
    write_1h: float
    read: float
    cacheable: int
    adaptive: bool

    def dollars(self, usage: Usage) -> float:
        """What these tokens cost at this row's rates."""
        return (
            usage.input_tokens * self.input
            + usage.write_5m_tokens * self.write_5m
            + usage.write_1h_tokens * self.write_1h
            + usage.cache_read_tokens * self.read
            + usage.output_tokens * self.output
        ) / MILLION


class _Table(BaseModel):
    checked: date
    price: tuple[Price, ...]


@cache
def table() -> _Table:
    """The price table as shipped, with the day it was checked."""
    return _Table.model_validate(tomllib.loads((files("healing.llm") / "prices.toml").read_text("utf-8")))


def price_of(model: str, prompt_tokens: int = 0) -> Price:
    """The row for a prompt of that many tokens. Raises UnknownModel."""
    rows = [row for row in table().price if row.model == model and prompt_tokens >= row.above]
    if not rows:
        known = ", ".join(sorted({row.model for row in table().price}))
        raise UnknownModel(
            f"There is no price for the model {model!r} (table of {table().checked}), so its cost could not be "
            f"bounded and it was not asked. Configure one of: {known}."
        )
    return max(rows, key=lambda row: row.above)


def cost(model: str, usage: Usage) -> float:
    """US dollars of one call. Raises UnknownModel."""
    return price_of(model, usage.prompt_tokens).dollars(usage)


def worst_case(request: Request) -> tuple[float, int]:
    """Dollars and tokens that one attempt can cost at most. Raises UnknownModel.

    A byte-level tokenizer never makes more tokens than there are bytes; all may be written to the dearest cache.
    """
    prompt = len(request.model_dump_json().encode("utf-8", "replace")) + OVERHEAD_TOKENS
    price = price_of(request.model, prompt)
    inwards = price.write_1h if request.trunk_ttl == "1h" else price.write_5m
    dollars = (prompt * max(inwards, price.input) + request.max_tokens * price.output) / MILLION
    return dollars, prompt + request.max_tokens
