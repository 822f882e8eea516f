"""Opens worlds for the conversations: `async with world() as w`."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.conversation.workshop import Workshop, open_workshop
from tests.world import OpenWorld, open_world


@pytest.fixture(scope="session")
def workshop() -> Iterator[Workshop]:
    with open_workshop() as made:
        yield made


@pytest.fixture
def world(workshop: Workshop) -> OpenWorld:
    return partial(open_world, workshop)
