"""Everything a handler gets."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from handlers.model.addresses import Addresses
from handlers.model.chat import Chat
from handlers.model.github import GitHub
from handlers.model.healer import Healer
from handlers.model.publisher import Publisher
from handlers.model.store import Store
from handlers.model.stored import Run
from healing.steps import Steps


class Enqueue(Protocol):
    """Starts durable work; the same arguments twice start it once."""

    async def healing(self, run: Run) -> None: ...


class Context(Protocol):
    """Everything a handler gets, bound to one repository of one installation."""

    github: GitHub
    publisher: Publisher
    store: Store
    healer: Healer
    queue: Enqueue
    steps: Steps  # of the delivery or run at work: after a crash they give what they gave
    slug: str  # the App's slug: Heal's own comments are by `<slug>[bot]`
    addresses: Addresses
    chat: Chat

    def work_lock(self, number: int) -> AbstractAsyncContextManager[None]:
        """Held over the whole of a healing, or of a carrying-over: work on one pull request is serial."""
        ...

    def pull_lock(self, number: int) -> AbstractAsyncContextManager[None]:
        """Held around look, post and read back, so that one pull request gets one voice at a time."""
        ...
