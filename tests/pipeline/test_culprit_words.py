"""What is said of the places of a change that broke a check."""

from healing.model import Culprit
from healing.pipeline.culprit import ChangedLines, sentence


# AF-6
def test_a_place_has_its_line_and_a_file_that_is_gone_has_none() -> None:
    changed = ChangedLines("a.py", 1, 2, (b"x = 1\n",)).place([b"\n", b"y = 2\n"])
    gone = ChangedLines("b.py", 0, 0, (b"x = 1\n",)).place([])
    culprit = Culprit(error_ids=("E",), places=(changed, gone), of=3, runs=1, certain=True)
    assert (
        sentence(culprit) == "The check passes without what this change did at a.py:2, b.py (gone) (2 of its 3 places)."
    )
