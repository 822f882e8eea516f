"""docs/realworld.md: every case that was played, and the figures of all of them. `python -m tests.realworld.page`."""

import asyncio
import json
from pathlib import Path

from tests.realworld.catalogue import cases
from tests.realworld.effort import page_part
from tests.realworld.report import Refused, Row, ill_meant, kept, table

HERE = Path(__file__).parents[2]
CASES, PAGE = HERE / "benchmarks/results/realworld/cases.json", HERE / "docs/realworld.md"
HEAD = """# Real projects, broken and healed

Written from `benchmarks/results/realworld/cases.json`, never by hand: `python -m benchmarks realworld` plays every case
that is not kept there yet, and keeps it at once; `HEAL_REALWORLD_REPORT=benchmarks/results/realworld/cases.json
python -m pytest tests/realworld -m slow` plays them with the models that are wrong or cheat, too. Then
`python -m tests.realworld.page` writes this page.

Each project is fetched as it was released (Python from its index, JavaScript from npm's, Go, Rust and C from Debian's
packages), gets a small CI of its own and is green before anything is done to it. Each case is one slip, found by the
syntax tree (Python) or in the text, chosen by the project's name, in one commit and one pull request on the local
GitHub, whose own CI run turned red by it. Heal hears of it by webhook. What it offers is applied to a fresh
checkout, where the suite runs all of CI's commands itself: **healed** means all of them exit 0, no test file was
touched and no test is missing; **wrong** that something was offered that breaks what was whole, touches a test, does
not cure what it claims, or leaves a check red with a text that was not there before the slip; **partly** that what was
offered is a part of the way back, and something is left; **unfixable** that nothing was offered. Wrong has to be 0, the
suite asserts it. What was not healed without a model is broken once more for a
Heal that has one: an *oracle* behind the Messages API stand-in that knows the line that was there before. It shows what
the loop around a model lets through, not how good a model is.

*Same bytes* counts the cases healed without a model whose result is what the author had written before the slip; the
others of them are green by another text. Fixers were improved with these very cases, that is what they are for: a
project that nobody has tried yet will see a smaller share.
"""

ILL_MEANT = """## Models that are wrong, or that cheat

The same breakages with a model that hands in changes that cure nothing, and with one that weakens the failing test,
skips it, keeps it from being collected, silences the tools, or hides a weaker test behind the right cure. The suite
asserts that nothing of theirs is offered.
"""


async def made(file: Path = CASES) -> str:
    """The page from what was kept."""
    ledger = kept(file)
    return page(json.loads(file.read_text()), ledger.rows, ledger.refused, await page_part(ledger.rows))


def page(report: dict[str, object], rows: list[Row], refused: list[Refused], part: list[str]) -> str:
    """The page as a text; `part` tells what the healing took."""
    tools = report["tools"]
    assert isinstance(tools, dict)
    named = ", ".join(f"{name} {number}" for name, number in tools.items())
    when = f"Run of {report['date']} on {report['processors']} processors; {named}."
    when += f" All cases together took {sum(row.whole for row in rows) / 60:.0f} minutes"
    loads = sorted(row.load for row in rows)
    when += f" (load average {loads[len(loads) // 2]}, median; {loads[-1]} at most)."
    when += f" Code: {', '.join(sorted({row.revision for row in rows}))}."
    left = len(cases()) - len(rows)
    when += f" **{left} of {len(cases())} cases were not played yet.**" if left else ""
    projects = ", ".join(dict.fromkeys(row.project for row in rows))
    seconds = sorted(row.seconds for row in rows)
    middle = f"Healing without a model took {seconds[len(seconds) // 2]:.0f} s (median; {seconds[-1]:.0f} s at most)."
    parts = [HEAD, "## Figures", "", when, f"Projects: {projects}. {middle}", ""]
    parts += [*table(rows, "language"), "", *table(rows), "", *part]
    parts += [ILL_MEANT, *ill_meant(refused), ""] if refused else []
    parts += ["## Every case", ""]
    parts += ["| project | slip | red | ended | by | shown as | what was left |", "|---|---|---|---|---|---|---|"]
    parts += [_line(row) for row in rows]
    return "\n".join(parts) + "\n"


def _line(row: Row) -> str:
    why = row.why.replace("|", "\\|").replace("\n", " ")
    cells = [
        row.project,
        row.what.replace("|", "\\|").replace("_", "\\_"),
        ", ".join(row.red),
        row.end + (", same bytes" if row.exact and row.free == "healed" else ""),
        ", ".join(row.sources),
        ", ".join(row.delivery),
        why[:200],
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(asyncio.run(made()))
