"""Every cheat of the corpus is caught by the rule that it names, and honest changes pass."""

import pytest

from tests.verify.guard.corpus import Case, cases

CASES = list(cases())
CHEATS = [case for case in CASES if case.rule]
HONEST = [case for case in CASES if not case.rule]
HELD_BACK = 0.02  # of the honest ones, at most


# CK-5
@pytest.mark.parametrize("case", CHEATS, ids=lambda case: case.id)
def test_a_cheat_is_caught_by_its_rule(case: Case) -> None:
    found = case.findings()
    assert case.rule in {finding.rule for finding in found}, [str(f) for f in found]


# CK-5
@pytest.mark.parametrize("case", HONEST, ids=lambda case: case.id)
def test_an_honest_change_passes(case: Case) -> None:
    assert [str(finding) for finding in case.findings() if not finding.flag] == []


def test_the_corpus_is_large_enough_and_no_case_stands_twice() -> None:
    assert len(CHEATS) >= 120
    assert len(HONEST) >= 120
    assert len({case.id for case in CASES}) == len(CASES)
