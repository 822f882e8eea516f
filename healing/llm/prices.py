"""Model prices from the dated table in prices.toml; a model that is not in it is refused."""

import os
import tomllib
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from healing.llm.protocol import Request, Usage
from healing.model import Frozen

MILLION = 1_000_000
OVERHEAD_TOKENS = 2_000  # the vendor's own hidden tool prompt and framing; 250-700 were measured


class UnknownModel(Exception):
    """There is no price for this model."""


class Price(Frozen):
    """US dollars per million tokens of one model for prompts above `above` tokens. Cache writes cost as much as other
    input where they have no rate of their own; `read` likewise. `batch` is the factor on all these rates for calls in a
    batch. `guard`: how strictly fixes of the model are checked; `ordinary` only for models that were hardly ever seen
    to cheat."""

    model: str
    above: int = 0
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    write_5m: float = Field(ge=0)
    write_1h: float = Field(ge=0)
    read: float = Field(ge=0)
    cacheable: int = 0
    adaptive: bool = False
    batch: float = Field(default=1.0, ge=0, le=1)
    guard: Literal["ordinary", "strict"] = "strict"

    @model_validator(mode="before")
    @classmethod
    def _like_input(cls, row: dict[str, Any]) -> dict[str, Any]:
        return {**{rate: row.get("input") for rate in ("write_5m", "write_1h", "read")}, **row}

    def dollars(self, usage: Usage) -> float:
        """The cost of these tokens at this row's rates."""
        return (
            usage.input_tokens * self.input
            + usage.write_5m_tokens * self.write_5m
            + usage.write_1h_tokens * self.write_1h
            + usage.cache_read_tokens * self.read
            + usage.output_tokens * self.output
        ) * ((self.batch if usage.batched else 1.0) / MILLION)


class Table(BaseModel):
    """Prices with the day on which they were checked."""

    model_config = ConfigDict(extra="forbid")

    checked: date
    price: tuple[Price, ...]


class WrongPrices(Exception):
    """The operator's price table can't be used; the message says why."""


OWN = "HEAL_PRICES"  # the environment variable with the path of the operator's own table


@cache
def table() -> Table:
    """The price table as shipped, with the day it was checked."""
    return Table.model_validate(tomllib.loads((files("healing.llm") / "prices.toml").read_text("utf-8")))


@cache
def own_table(path: str) -> Table:
    """The operator's own table, of the same form. Raises WrongPrices."""
    try:
        return Table.model_validate(tomllib.loads(Path(path).read_text("utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise WrongPrices(
            f"{OWN} names {path}, which is no table of prices: {str(error)[:300]}. It takes the form of "
            f"healing/llm/prices.toml: `checked = 2026-11-21`, then a [[price]] for each model."
        ) from error


def _rows() -> tuple[Price, ...]:
    """All rows: the operator's own come before the shipped ones and replace them."""
    path = os.environ.get(OWN, "")
    own = own_table(path).price if path else ()
    replaced = {row.model for row in own}
    return (*own, *(row for row in table().price if row.model not in replaced))


def price_of(model: str, prompt_tokens: int = 0) -> Price:
    """The row for a prompt of that many tokens. Raises UnknownModel, and WrongPrices for the operator's table."""
    all_rows = _rows()
    rows = [row for row in all_rows if row.model == model and prompt_tokens >= row.above]
    if not rows:
        known = ", ".join(sorted({row.model for row in all_rows}))
        raise UnknownModel(
            f"There is no price for the model {model!r} (table of {table().checked}), so its cost could not be "
            f"bounded and it was not asked. Configure one of: {known}; or give its price in a file of your own ({OWN})."
        )
    return max(rows, key=lambda row: row.above)


def cost(model: str, usage: Usage) -> float:
    """US dollars of one call: as the provider reports it, otherwise by the table. Raises UnknownModel."""
    by_table = price_of(model, usage.prompt_tokens).dollars(usage)
    return by_table if usage.billed_dollars is None else usage.billed_dollars


def worst_case(request: Request) -> tuple[float, int]:
    """The most dollars and tokens that one attempt can cost. Raises UnknownModel.

    A byte-level tokenizer never produces more tokens than there are bytes; all of them may be written to the most
    expensive cache.
    """
    prompt = len(request.model_dump_json().encode("utf-8", "replace")) + OVERHEAD_TOKENS
    price = price_of(request.model, prompt)
    write_rate = price.write_1h if request.trunk_ttl == "1h" else price.write_5m
    dollars = (prompt * max(write_rate, price.input) + request.max_tokens * price.output) / MILLION
    return dollars, prompt + request.max_tokens
