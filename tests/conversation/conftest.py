"""Opens worlds for the conversations: `async with world() as w`."""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.conversation.local_machine import LocalMachine, open_local_machine
from tests.world import OpenWorld, open_world


@pytest.fixture(scope="session")
def local_machine() -> Iterator[LocalMachine]:
    with open_local_machine() as made:
        yield made


@pytest.fixture
def world(local_machine: LocalMachine) -> OpenWorld:
    return partial(open_world, local_machine)
