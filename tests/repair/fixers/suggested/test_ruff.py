"""Ruff's unsafe fixes, each proven alone."""

from tests.pipeline.bench import Bench


# AF-3
async def test_a_variable_that_nobody_needs_is_taken_away_and_none_is_compared_as_it_should_be(bench: Bench) -> None:
    source = "def f(a):\n    kept = a\n    return a == None\n\n\ndef g(a):\n    size = len(a)\n    return a\n"
    outcome = await bench.heal({"a.py": "x = 1\n"}, {"a.py": source}, "ruff check --select E711,F841 .")
    assert outcome.verdict == "healed", [u.why for u in outcome.unfixables]
    edits = {e.old_string: (p.source, e.new_string) for p in outcome.proposals for e in p.edits}
    assert edits == {
        "    kept = a\n": ("fixer:ruff", ""),
        "    return a == None\n": ("fixer:ruff", "    return a is None\n"),
        "    size = len(a)\n": ("fixer:ruff", "    len(a)\n"),
    }
