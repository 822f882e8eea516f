"""The type of a row of evidence."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Kind = Literal["code", "flaky", "infrastructure", "configuration", "dependency"]

RERUN = "Re-run the failed job; nothing in the code has to change."


@dataclass(frozen=True)
class Signal:
    """Patterns that indicate a kind of failure, the reason, and what to do about it.

    `retryable`: the same commit may pass on a re-run. `in_errors`: counts even inside an error of the repository's own
    code, because code can't change it.
    """

    kind: Kind
    why: str
    words: tuple[str, ...]
    advice: str = RERUN
    retryable: bool = True
    in_errors: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The words as one case-insensitive pattern for a line; compiled when first used."""
        return re.compile("|".join(self.words), re.IGNORECASE)
