"""Cases: a released package, broken by a few edits, with the tests that are red then."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.heal.packages import Unbuildable


@dataclass(frozen=True)
class Change:
    """One line of one file: what it was, and what it was made into. `line` is 1-based."""

    file: str
    line: int
    before: str
    after: str


@dataclass(frozen=True)
class Case:
    """`failing` are pytest's ids; a file's own name stands for tests that could not even be collected. Not `solvable`:
    the right answer is a report that nothing sound cures it."""

    id: str
    category: str
    package: str
    requirement: str
    changes: tuple[Change, ...]
    command: str
    failing: tuple[str, ...]
    solvable: bool = True

    def break_files(self, root: Path) -> None:
        """Makes the changes in an unpacked source distribution. Raises Unbuildable where they don't fit."""
        for change in self.changes:
            place = root / change.file
            lines = place.read_text().split("\n") if place.is_file() else []
            if not 0 < change.line <= len(lines) or lines[change.line - 1] != change.before:
                raise Unbuildable(f"{change.file}:{change.line} is not what the case says")
            lines[change.line - 1] = change.after
            place.write_text("\n".join(lines))


def read_cases(folder: Path) -> list[Case]:
    """The cases of `folder/cases.json`. Raises OSError, ValueError or KeyError where it isn't such a file."""
    return [_case(item) for item in json.loads((folder / "cases.json").read_text())]


def _case(item: dict[str, Any]) -> Case:
    changes = (Change(e["file"], e["line"], e["before"], e["after"]) for e in item["edits"])
    return Case(
        id=item["id"],
        category=item["category"],
        package=item["package"],
        requirement=item["pip"],
        changes=tuple(changes),
        command=item["test_cmd"].strip(),
        failing=tuple(f["nodeid"] for f in item["failing"]),
        solvable=item.get("solvable", True),
    )
