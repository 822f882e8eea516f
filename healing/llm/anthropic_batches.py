"""Message Batches through the official SDK: the same bodies as single calls, under the requests' keys."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from healing.llm.anthropic import AnthropicModel, body_of, failure, turn_of
from healing.llm.batches import Batches, Item
from healing.llm.errors import ModelError, Retryable
from healing.llm.protocol import Model, Request

if TYPE_CHECKING:
    from anthropic.resources.messages.batches import AsyncBatches
    from anthropic.types.messages import MessageBatchIndividualResponse

LISTED = 100  # batches that are searched for one that was sent but whose id was not stored


class AnthropicBatches:
    """`healing.llm.batches.Batches` for one model."""

    def __init__(self, model: AnthropicModel) -> None:
        self.name = model.name
        self._model = model

    async def newest(self) -> str:
        async with self._api() as api:
            page = await api.list(limit=1)
            return page.data[0].id if page.data else ""

    async def since(self, batch: str, size: int) -> tuple[str, ...]:
        ids: list[str] = []
        async with self._api() as api:
            page = await api.list(limit=LISTED)
            for entry in page.data:
                if entry.id == batch:
                    break
                counts = entry.request_counts
                if size == sum((counts.processing, counts.succeeded, counts.errored, counts.canceled, counts.expired)):
                    ids.append(entry.id)
        return tuple(ids)

    async def start(self, requests: Mapping[str, Request]) -> str:
        items: list[Any] = [{"custom_id": key, "params": body_of(request)} for key, request in requests.items()]
        async with self._api() as api:
            return (await api.create(requests=items)).id

    async def ended(self, batch: str) -> bool:
        async with self._api() as api:
            return (await api.retrieve(batch)).processing_status == "ended"

    async def cancel(self, batch: str) -> None:
        async with self._api() as api:
            await api.cancel(batch)

    async def results(self, batch: str) -> tuple[Item, ...]:
        async with self._api() as api:
            return tuple([_item(line) async for line in await api.results(batch)])

    @asynccontextmanager
    async def _api(self) -> AsyncIterator["AsyncBatches"]:
        """The SDK's batches client; its errors are raised as Heal's."""
        import anthropic
        import httpx2

        try:
            yield self._model.client().messages.batches
        except anthropic.APIStatusError as error:
            raise failure(error) from error
        except (anthropic.AnthropicError, httpx2.HTTPError, ValueError) as error:
            raise Retryable(f"the connection broke ({type(error).__name__}).") from error


def _item(line: "MessageBatchIndividualResponse") -> Item:
    key, result = line.custom_id, line.result
    if result.type == "errored":
        failure = result.error.error
        return Item(key=key, why=f"{failure.type}: {failure.message[:500]}")
    if result.type != "succeeded":
        return Item(key=key, why=f"it {'was canceled' if result.type == 'canceled' else 'expired'}")
    try:
        turn = turn_of(result.message, line.custom_id, 0.0)
    except ModelError as error:
        return Item(key=key, why=str(error), billed=True)
    usage = turn.usage.model_copy(update={"batched": True})
    return Item(key=key, turn=turn.model_copy(update={"usage": usage}))


def batches_of(model: Model) -> Batches | None:
    """The batches of a model; None where its provider has none."""
    return AnthropicBatches(model) if isinstance(model, AnthropicModel) else None
