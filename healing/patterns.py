"""Regular expressions that are compiled on first use.

Compiling Heal's nine hundred patterns takes half a second of CPU, and a command uses few of them.
"""

import re
from collections.abc import Iterator
from functools import cached_property


class LazyPattern:
    """A pattern that is compiled by `re.compile` on the first call. Threads can share it: each would compile the
    same."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self.flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern, self.flags)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match anywhere in the text."""
        return self.compiled.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """A match at the start of the text."""
        return self.compiled.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """A match of the whole text."""
        return self.compiled.fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches, one after another."""
        return self.compiled.finditer(text)

    def findall(self, text: str) -> list[str]:
        """All matches as strings: their one group, where the pattern has one."""
        return self.compiled.findall(text)
