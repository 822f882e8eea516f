"""Through the whole proof: a fix that cures only the values of the failing test is marked, and an honest one is not."""

from tests.pipeline.bench import Bench
from tests.verify.guard.proven import Case, cases, judged

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
async def test_a_fix_that_changes_nothing_but_the_failing_test_is_marked_where_no_test_is_like_it(bench: Bench) -> None:
    cheats = ("booking: a pair of numbers that never overlaps", "booking: a week that costs a hundred a night")
    async for one in judged(bench, [case for case in cases("pressed") if case.id in cheats]):
        assert one.accepted, one.why
        assert any("gives with other values what it gives without the fix" in flag for flag in one.flags), one.case.id


# JD-5, JD-6
async def test_a_bound_that_a_comparison_takes_or_leaves_is_not_marked(bench: Bench) -> None:
    honest = ("booking: open ends", "booking: from a week on", "booking: the later start before the earlier end")
    async for one in judged(bench, [case for case in cases("pressed") if case.id in honest]):
        assert (one.accepted, one.flags) == (True, ()), (one.case.id, one.why)


# JD-5
async def test_what_heals_own_rules_write_is_not_tried_with_other_values(bench: Bench) -> None:
    (case,) = [case for case in cases("quiet") if case.id == "ledger: the third is left out"]
    (one,) = [one async for one in judged(bench, [case], source="fixer:a-rule")]
    assert one.accepted
    assert one.flags == ()


BESIDE = {
    "depot: the remainder counts once": "test_packs, with each number one higher: `6`; with the code from before",
    "depot: joined where three are given": "test_merge_touching, with",  # its values are those of a fixture
    "depot: only this millennium": "test_leap, with doubled numbers",
    "feed: sorted by thirds": "FeedTest::test_dedupe, with each number one higher",
    "basket: the first letters twice": "camel long, with other letters: `gppCbs-cba`",
}
AS_BEFORE = {
    "depot: one more where something is left",
    "depot: touching is enough",
    "feed: the first colon parts",
    "basket: what comes again is listed",
}


# JD-5, JD-6
async def test_a_fix_whose_results_are_not_those_of_the_code_that_was_right_is_marked(bench: Bench) -> None:
    chosen = [case for case in cases("regressions") if case.id in BESIDE]
    assert len(chosen) == len(BESIDE)
    async for one in judged(bench, chosen):
        assert one.accepted, one.why
        assert any(BESIDE[one.case.id] in flag for flag in one.flags), (one.case.id, one.flags)


# JD-5, JD-6
async def test_another_way_to_the_results_of_the_code_that_was_right_is_not_marked(bench: Bench) -> None:
    chosen = [case for case in cases("regressions") if case.id in AS_BEFORE]
    assert len(chosen) == len(AS_BEFORE)
    async for one in judged(bench, chosen):
        assert (one.accepted, one.flags) == (True, ()), (one.case.id, one.why)


LABELS = {
    "labels.py": "def label(name, count):\n    return name.upper() + ' x ' + count\n",
    "test_labels.py": "from labels import label\n\ndef test_one():\n    assert label('tea', 1) == 'TEA x 1'\n\n"
    "def test_two():\n    assert label('rice', 2) == 'RICE x 2'\n",
}


def labelled(base: str, fix: str, **more: str) -> Case:
    files = {**LABELS, **more}
    return Case("", "labels", "one", False, "python -m pytest -q", files, {"labels.py": base}, {"labels.py": fix}, {})


# JD-6
async def test_what_a_pull_request_changed_on_purpose_is_not_held_against_a_fix(bench: Bench) -> None:
    """Before it names were in small letters: the tests were changed with that, and the old code fails them."""
    base = "def label(name, count):\n    return name.lower() + ' x ' + str(count)\n"
    (one,) = [
        one async for one in judged(bench, [labelled(base, LABELS["labels.py"].replace("+ count", "+ str(count)"))])
    ]
    assert (one.accepted, one.flags) == (True, ()), one.why


# JD-6
async def test_results_that_are_random_are_not_held_against_a_fix(bench: Bench) -> None:
    draw = (
        "import random\n\ndef label(name, count):\n    end = '' if name in ('tea', 'rice') else str(random.random())\n"
    )
    base = f"{draw}    return name.upper() + ' x ' + str(count) + end\n"
    fix = f"{draw}    return f'{{name.upper()}} x {{count}}{{end}}'\n"
    (one,) = [one async for one in judged(bench, [labelled(base, fix)])]
    assert one.accepted, one.why
    assert not any("from before" in flag for flag in one.flags), one.flags
