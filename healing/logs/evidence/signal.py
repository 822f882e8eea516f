"""What a row of evidence is."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Kind = Literal["code", "flaky", "infrastructure", "configuration", "dependency"]

RERUN = "Re-run the failed job; nothing in the code has to change."


@dataclass(frozen=True)
class Signal:
    """Words that tell a kind of failure, why they do, and what to do about it.

    `retryable`: the same commit may pass when it is run again. `in_errors`: true even where an error of the
    repository's own code says it, because code can't do anything about it.
    """

    kind: Kind
    why: str
    words: tuple[str, ...]
    advice: str = RERUN
    retryable: bool = True
    in_errors: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The words as one pattern, in any case, within a line; compiled when a log is first read."""
        return re.compile("|".join(self.words), re.IGNORECASE)
