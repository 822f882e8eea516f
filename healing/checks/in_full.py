"""A narrowed check that prints all that its tool knows of a failure: the whole traceback and the local variables."""

import shlex

from healing.checks.check import Check
from healing.checks.narrowing.words import called, simple

# The last of several options of a kind counts, so these hold against the command's own and those of a settings file.
# Verbosity 1 shows whole differences of an assertion and still cuts long values.
EVERYTHING = {"pytest": ("--maxfail=0", "--verbosity=1", "--tb=long", "--showlocals")}


def in_full(narrowed: Check) -> Check | None:
    """The narrowed check in full; None where its tool always prints all it knows, or none that Heal can ask for."""
    words = simple(narrowed.step.run)
    tool = called(words)[0] if words else ""
    if not words or tool not in EVERYTHING:
        return None
    run = shlex.join([*words, *EVERYTHING[tool]])
    return narrowed.model_copy(update={"step": narrowed.step.model_copy(update={"run": run, "name": f"{tool} (full)"})})
