"""The figures of reading are taken for real, on a small log here: what was planted is found, and memory is bounded."""

import pytest

from benchmarks.extraction import speed
from benchmarks.extraction.peers import regex
from benchmarks.extraction.quality import heal


# EX-10
@pytest.mark.parametrize("who", ["heal", "regex"])
def test_every_planted_error_of_a_generated_log_is_found(who: str) -> None:
    run = speed.measure(who, megabytes=2)
    assert run.share_found == 1
    assert run.megabytes_a_second > 0
    assert 0 < run.peak_megabytes < 200


# EX-10
def test_heal_and_its_peer_are_asked_in_the_same_words() -> None:
    log = "a.py:3:1: F401 `os` imported but unused\n"
    places = [[(item["file"], item["line"]) for item in read(log)] for read in (heal, regex)]
    assert places == [[("a.py", 3)], [("a.py", 3)]]
