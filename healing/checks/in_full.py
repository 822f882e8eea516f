"""A narrowed check with full output: the whole traceback and, where the tool supports it, the local variables."""

import shlex
from dataclasses import dataclass, field

from healing.checks.check import Check
from healing.checks.narrowing.words import called


@dataclass(frozen=True)
class FullOutput:
    """How a tool is made to print everything: words that are added, prefixes of options that are removed first, and
    variables."""

    words: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)


# The last of several options of a kind counts, so these override the command's own and those of a settings file;
# Vitest refuses a repeated option. go prints everything that a failing test logged anyway.
EVERYTHING = {
    # Verbosity 1 shows full assertion diffs and still truncates long values.
    "pytest": FullOutput(("--maxfail=0", "--verbosity=1", "--tb=long", "--showlocals")),
    "jest": FullOutput(("--silent=false", "--verbose", "--noStackTrace=false", "--reporters=default")),
    "vitest": FullOutput(("--silent=false", "--reporter=verbose"), without=("--silent", "--reporter=")),
    "cargo": FullOutput(env={"RUST_BACKTRACE": "1"}),
}


def in_full(narrowed: Check) -> Check | None:
    """The narrowed check with full output; None where its tool prints everything anyway, or has no such option known
    here."""
    words = shlex.split(narrowed.step.run)  # a single command, written by the narrowing
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
