"""A sample of `make fuzz`: the same inputs on every machine."""

import random

from tests.bot.hooks import headers, raw
from tests.fuzzing.mutations import mutated
from tests.fuzzing.payloads import payloads
from tests.fuzzing.webhooks import answered, application, fuzz


# IN-2
async def test_hostile_deliveries_are_never_answered_with_a_server_error() -> None:
    statuses, bad = await fuzz(inputs=5_000, seed=20261122)
    assert bad == []
    assert set(statuses) <= {200, 202, 400, 401, 413, 415}
    assert min(statuses[202], statuses[400]) > 500, "the inputs are neither all good nor all broken"


# IN-1
async def test_every_payload_that_is_started_from_is_taken() -> None:
    app = application()
    for event, payload in payloads():
        body = raw(payload)
        assert (event, await answered(app, body, headers(body, event))) == (event, 202)


def test_a_mutation_is_repeated_by_its_seed() -> None:
    _, payload = payloads()[0]
    assert [mutated(random.Random(n), payload) for n in range(50)] == [
        mutated(random.Random(n), payload) for n in range(50)
    ]
    assert len({mutated(random.Random(n), payload) for n in range(50)}) > 40
