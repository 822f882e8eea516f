"""A narrowed check that prints all that its tool knows of a failure: the whole traceback and, where there are such, the
local variables."""

import shlex
from dataclasses import dataclass, field

from healing.checks.check import Check
from healing.checks.narrowing.words import called


@dataclass(frozen=True)
class FullOutput:
    """How a tool is asked for all: words that are added, the beginnings of options that are left out before, and
    variables."""

    words: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)


# The last of several options of a kind counts, so these hold against the command's own and those of a settings file;
# Vitest refuses a second one. go prints all that a failing test logged anyway.
EVERYTHING = {
    # Verbosity 1 shows whole differences of an assertion and still cuts long values.
    "pytest": FullOutput(("--maxfail=0", "--verbosity=1", "--tb=long", "--showlocals")),
    "jest": FullOutput(("--silent=false", "--verbose", "--noStackTrace=false", "--reporters=default")),
    "vitest": FullOutput(("--silent=false", "--reporter=verbose"), without=("--silent", "--reporter=")),
    "cargo": FullOutput(env={"RUST_BACKTRACE": "1"}),
}


def in_full(narrowed: Check) -> Check | None:
    """The narrowed check in full; None where its tool always prints all it knows, or none that Heal can ask for."""
    words = shlex.split(narrowed.step.run)  # one command: the narrowing wrote it
    tool, start = called(words) if words else ("", 0)
    full = EVERYTHING.get(tool)
    if not words or full is None:
        return None
    kept = [*words[:start], *(word for word in words[start:] if not (full.without and word.startswith(full.without)))]
    step = narrowed.step.model_copy(
        update={
            "run": shlex.join([*kept, *full.words]),
            "name": f"{tool} (full)",
            "env": {**narrowed.step.env, **full.env},
        }
    )
    return narrowed.model_copy(update={"step": step})
