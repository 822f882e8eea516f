"""The context of a handler."""

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
    steps: Steps  # durable steps of the delivery or run: after a crash they return the same results
    slug: str  # the App's slug: Heal's own comments are by `<slug>[bot]`
    addresses: Addresses
    chat: Chat

    def work_lock(self, number: int) -> AbstractAsyncContextManager[None]:
        """Must be held during a whole run, or while fixes are carried over: work on one pull request is serial."""
        ...

    def pull_lock(self, number: int) -> AbstractAsyncContextManager[None]:
        """Must be held while looking, posting and reading back, so that posts on a pull request are serial."""
        ...
