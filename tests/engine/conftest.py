"""One bench for the session: probing and making the base environment are dear."""

from collections.abc import Iterator

import pytest

from tests.engine.bench import Bench, open_bench


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    with open_bench() as made:
        yield made
