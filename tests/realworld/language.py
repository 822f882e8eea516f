"""What the suite has to know of a language: how its tools' output is counted, what is a test, and which slips exist."""

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.realworld.sites import Breakage, Source

Maker = Callable[[Source], Iterator[Breakage]]


@dataclass
class Seen:
    """What all commands said of one tree. `red` are the steps that failed; `failed` the tests that failed or broke;
    `findings` counts what the other tools found, by (step, file, code)."""

    red: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)
    findings: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    said: dict[str, str] = field(default_factory=dict)

    @property
    def green(self) -> bool:
        return not self.red


@dataclass(frozen=True)
class Step:
    """One step of CI as the judge reads it. `reader` puts what it printed (or left in the folder) into Seen; `report`
    is added to its command for that; `tool` is what Heal calls the tool, where its findings can be counted."""

    reader: Callable[[Seen, str, Path], None]
    report: str = ""
    tool: str = ""


@dataclass(frozen=True)
class Language:
    """`sources` are the paths that may be broken and mended, as far as `tests` does not take them out; what stands in
    a file from `inline` on is tests too. `version` is the command that tells its toolchain's."""

    name: str
    sources: re.Pattern[str]
    tests: re.Pattern[str]
    steps: Mapping[str, Step]
    makers: Mapping[str, Maker]
    version: tuple[str, ...]
    inline: bytes = b""

    def toolchain(self) -> str:
        """The number that its toolchain says of itself here; empty where there is none."""
        try:
            output = subprocess.run(self.version, capture_output=True, text=True, check=False).stdout
        except OSError:
            return ""
        found = re.search(r"\d+\.\d+(?:\.\d+)?", output)
        return found[0] if found else ""

    def code(self, data: bytes) -> bytes:
        """The part of a file that is no test."""
        return data.split(self.inline)[0] if self.inline else data

    def tests_in(self, data: bytes) -> bytes:
        """The rest of it."""
        return data[len(self.code(data)) :]
