"""Whole runs in which one thing after the other dies: some of those that `benchmarks resilience` plays."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.bot.postgres import postgres_server
from tests.killing.company import Companies
from tests.killing.disasters import KINDS
from tests.killing.ordeal import ALONE_OF, Peace, drawn, in_peace, suffer
from tests.killing.theatre import Theatre


@pytest.fixture(scope="module")
def companies(theatre: Theatre) -> Iterator[Companies]:
    with postgres_server() as server:
        yield Companies(server, theatre.folder)


@pytest.fixture(scope="module")
def peace(theatre: Theatre) -> Peace:
    return asyncio.run(in_peace(theatre))


def test_a_seed_names_one_ordeal_and_all_kinds_come() -> None:
    assert drawn(7) == drawn(7)
    disasters = [disaster for seed in range(60) for disaster in drawn(seed).disasters]
    assert {disaster.kind for disaster in disasters} == set(KINDS)
    assert len({str(disaster) for disaster in disasters}) > 150


# OP-2, OP-3, GH-4, LM-6, MQ-4
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 1 + ALONE_OF), ids=lambda seed: "one" if drawn(seed).alone else "several")
def test_a_run_ends_as_if_nothing_had_happened(seed: int, theatre: Theatre, companies: Companies, peace: Peace) -> None:
    damage = asyncio.run(suffer(drawn(seed), theatre, companies, peace))
    assert damage.harmless, f"{damage}\n{damage.story}"
    assert damage.happened
