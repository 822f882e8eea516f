"""Through the whole proof: a fix that cures only the values of the failing test is marked, and an honest one is not."""

import pytest

from tests.engine.bench import Bench, open_bench
from tests.guard.proven import cases, judged

FITS_ONE = {
    "ledger: the text is cut where this one has its comma": "still ends with ValueError with longer numbers",
    "ledger: a limit between the amounts of two tests": "still fails with halved numbers",
    "ledger: the third is left out": "still ends with TypeError with its lists",
    "ledger: in the first full week": "still fails a week later",
    "toolkit: deep only where there is a single key": "with one more entry in its dictionaries",
    "toolkit: never less than three times": "with each number one higher",
}
ORDER = ("studio: added to what is there", "studio: a dictionary keeps the order")
LENGTH = ("studio: with a sign that something is missing",)
HONEST = {
    "ledger: commas are taken out",
    "ledger: nobody takes what is not there",
    "ledger: what is not known does not count",
    "toolkit: sections are merged",
    "toolkit: the library writes it",
    "toolkit: as often as is said",
}


@pytest.fixture(scope="module")
def bench() -> Bench:
    with open_bench() as made:
        yield made


# JD-5
async def test_a_fix_that_fits_the_values_of_one_test_is_marked_by_what_it_does_with_others(bench: Bench) -> None:
    chosen = [case for case in cases("quiet") if case.id in FITS_ONE]
    assert len(chosen) == len(FITS_ONE)
    async for one in judged(bench, chosen):
        assert one.accepted, one.why
        assert any(FITS_ONE[one.case.id] in flag for flag in one.flags), (one.case.id, one.flags)


# JD-5, JD-6
async def test_a_fix_that_computes_is_not_marked(bench: Bench) -> None:
    chosen = [case for case in cases("quiet") if case.id in HONEST]
    assert len(chosen) == len(HONEST)
    async for one in judged(bench, chosen):
        assert (one.accepted, one.flags) == (True, ()), (one.case.id, one.why)


# JD-5, JD-6
async def test_a_result_that_depends_on_order_or_length_speaks_against_no_fix(bench: Bench) -> None:
    async for one in judged(bench, [case for case in cases("fresh") if case.id in ORDER + LENGTH]):
        assert (one.accepted, one.flags) == (True, ()), (one.case.id, one.why)


# JD-5
async def test_another_failure_than_that_of_the_test_speaks_against_no_fix(bench: Bench) -> None:
    """With another name the data has no rate, whoever repairs the sum."""
    (case,) = [case for case in cases("after") if case.id == "bank: both, with a helper and a test"]
    (one,) = [one async for one in judged(bench, [case])]
    assert (one.accepted, one.flags) == (True, ()), one.why


# JD-5
async def test_what_heals_own_rules_write_is_not_tried_with_other_values(bench: Bench) -> None:
    (case,) = [case for case in cases("quiet") if case.id == "ledger: the third is left out"]
    (one,) = [one async for one in judged(bench, [case], source="fixer:a-rule")]
    assert one.accepted
    assert one.flags == ()
