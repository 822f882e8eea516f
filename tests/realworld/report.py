"""The figures of one run of the suite: tables for the terminal, JSON that later runs add to."""

import json
import os
import platform
import subprocess
from collections import Counter
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from tests.realworld.catalogue import PROJECTS, cases

HERE = Path(__file__).parent
TOOLS = ("pytest", "ruff", "black", "mypy")
ENDS = ("healed without a model", "healed with the oracle", "partly", "unfixable", "wrong")


@dataclass(frozen=True)
class Row:
    """One case. `free` and `oracle` are how it ended without and with a model; `oracle` is empty where not needed.
    `failing` of the errors are failing tests. `first` are seconds from CI's end to the first offer. `clusters` are
    those that a model was asked about, as (phase, errors), and what follows them is what that took. `whole` are the
    seconds of all that was done for the case, `load` the machine's at its end, `revision` the code."""

    project: str
    language: str
    name: str
    category: str
    what: str
    red: tuple[str, ...]
    errors: int
    failing: int
    free: str
    oracle: str
    exact: bool
    sources: tuple[str, ...]
    delivery: tuple[str, ...]
    seconds: float
    first: float | None
    clusters: tuple[tuple[str, int], ...]
    calls: int
    tokens_in: int
    tokens_out: int
    dollars: float
    why: str
    whole: float = 0.0
    load: float = 0.0
    revision: str = ""

    @property
    def end(self) -> str:
        """The column of the table that it counts in."""
        if "wrong" in (self.free, self.oracle):
            return "wrong"
        if self.free == "healed":
            return "healed without a model"
        if self.oracle == "healed":
            return "healed with the oracle"
        return "partly" if "partly" in (self.free, self.oracle) else "unfixable"


@dataclass(frozen=True)
class Refused:
    """One case with a model that is `wrong` or `cheating`: how often it was asked, and how many fixes were offered."""

    project: str
    name: str
    kind: str
    asked: int
    offered: int


@dataclass
class Ledger:
    """One run of the suite."""

    rows: list[Row] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)

    def written(self) -> str:
        """Adds the run to the file that HEAL_REALWORLD_REPORT names, if it names one; gives the tables."""
        path = os.environ.get("HEAL_REALWORLD_REPORT")
        if path:
            kept(Path(path)).with_more(self).keep(Path(path))
        return "\n".join(["", "real projects:", *table(self.rows), "", *ill_meant(self.refused)])

    def with_more(self, other: "Ledger") -> "Ledger":
        """This run with what another has played: of a case that both have, the other's."""
        rows = {(row.project, row.name): row for row in (*self.rows, *other.rows)}
        refused = {(one.project, one.name, one.kind): one for one in (*self.refused, *other.refused)}
        order = [(project.title, name) for project, name in cases()]
        return Ledger([rows[case] for case in order if case in rows], list(refused.values()))

    def keep(self, file: Path) -> None:
        """Writes what the page is made of, whole or not at all: a run may be ended at any time."""
        rows, refused = [asdict(row) for row in self.rows], [asdict(one) for one in self.refused]
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_suffix(".new")
        fresh.write_text(json.dumps(facts() | {"rows": rows, "refused": refused}, indent=1) + "\n")
        fresh.replace(file)


def kept(file: Path) -> Ledger:
    """What was played before, as the file has it; nothing, where there is none."""
    loaded = json.loads(file.read_text()) if file.exists() else {"rows": [], "refused": []}
    return Ledger(
        TypeAdapter(list[Row]).validate_python(loaded["rows"]),
        TypeAdapter(list[Refused]).validate_python(loaded["refused"]),
    )


def revision() -> str:
    """The commit that is measured, short; with a mark where files differ from it."""
    result = subprocess.run(
        ["git", "describe", "--always", "--dirty=+"], cwd=HERE, capture_output=True, text=True, check=False
    )
    return result.stdout.strip()


def facts() -> dict[str, object]:
    """When, on what and with what the run was made."""
    toolchains = {project.language.name: project.language.toolchain() for project in PROJECTS}
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "tools": {tool: version(tool) for tool in TOOLS} | toolchains,
    }


def table(rows: list[Row], by: Literal["category", "language"] = "category") -> list[str]:
    """Cases by category or language, and by how they ended, as a Markdown table."""
    lines = [f"| {by} | cases | {' | '.join(ENDS)} | same bytes |", "|---|" + "---:|" * (len(ENDS) + 2)]
    for category in (*dict.fromkeys(str(getattr(row, by)) for row in rows), "all"):
        mine = [row for row in rows if category in (getattr(row, by), "all")]
        ends = Counter(row.end for row in mine)
        exact = sum(row.exact for row in mine if row.free == "healed")
        cells = [category, len(mine), *(ends[end] for end in ENDS), exact]
        lines.append(f"| {' | '.join(str(cell) for cell in cells)} |")
    return lines


def ill_meant(refused: list[Refused]) -> list[str]:
    """What models that are wrong or that cheat got onto the page, as a Markdown table."""
    lines = ["| model | cases | replies | fixes offered |", "|---|---:|---:|---:|"]
    for kind in dict.fromkeys(one.kind for one in refused):
        mine = [one for one in refused if one.kind == kind]
        lines.append(f"| {kind} | {len(mine)} | {sum(o.asked for o in mine)} | {sum(o.offered for o in mine)} |")
    return lines if refused else []
