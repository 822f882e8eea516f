"""Whole runs in which something dies at a random moment: some of those that `benchmarks resilience` plays."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.bot.postgres import postgres_server
from tests.killing.company import Companies
from tests.killing.disasters import KINDS, drawn, in_peace, suffer
from tests.killing.ending import Bill, Ending
from tests.killing.theatre import Theatre

LONGEST = 15.0  # seconds after CI failed


@pytest.fixture(scope="module")
def companies(theatre: Theatre) -> Iterator[Companies]:
    with postgres_server() as server:
        yield Companies(server, theatre.folder)


@pytest.fixture(scope="module")
def peace(theatre: Theatre) -> tuple[Ending, Bill]:
    return asyncio.run(in_peace(theatre))[0]


def test_a_seed_names_one_disaster_and_all_kinds_come() -> None:
    assert drawn(7, LONGEST)[:2] == drawn(7, LONGEST)[:2]
    assert {drawn(seed, LONGEST)[0] for seed in range(len(KINDS))} == set(KINDS)
    assert len({drawn(seed, LONGEST)[1] for seed in range(200)}) == 200


# OP-2, OP-3, GH-4, LM-6, MQ-4
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(len(KINDS)), ids=lambda seed: KINDS[seed].name)
def test_a_run_ends_as_if_nothing_had_happened(
    seed: int, theatre: Theatre, companies: Companies, peace: tuple[Ending, Bill]
) -> None:
    damage = asyncio.run(suffer(seed, LONGEST, theatre, companies, peace))
    assert damage.harmless, f"{damage}\n{damage.story}"
