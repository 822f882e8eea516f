"""docs/scoreboard.md: every kept figure beside its goal, written from benchmarks/results and from nothing else.

`python -m benchmarks.scoreboard` writes it again; a test compares the page with the data.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.keeping import RESULTS, kept
from benchmarks.peers import PEERS
from benchmarks.pictures import bars
from benchmarks.shape import cell

DOCS = Path(__file__).parents[1] / "docs"
PICTURES = "pictures/scoreboard"
FOLD = 12  # a longer table is folded
HEAD = """# The scoreboard

How good Heal is, next to what people would use instead. Written by `python -m benchmarks all` from
`benchmarks/results`, never by hand. A figure is a count, or stands beside a peer that ran in the same call on the
same machine; what was compared, and what was not, is said with each. Seconds are those of the machine named; ratios
travel better.
"""


def pages(results: list[dict[str, Any]]) -> dict[str, str]:
    """The page and its pictures, as texts by their paths under docs/."""
    files = {
        "scoreboard.md": "\n".join(
            [HEAD, *_goals(results), *_peers(), *(line for one in results for line in _part(one))]
        )
    }
    for one in results:
        for at, picture in enumerate(one.get("bars", ())):
            files[_picture(one, at)] = bars(picture["title"], _values(one["rows"], picture))
    return files


def write(results: Path = RESULTS, docs: Path = DOCS) -> None:
    """Writes page and pictures, and removes pictures that are no longer shown."""
    made = pages(kept(results))
    (docs / PICTURES).mkdir(parents=True, exist_ok=True)
    for old in (docs / PICTURES).glob("*.svg"):
        if f"{PICTURES}/{old.name}" not in made:
            old.unlink()
    for name, text in made.items():
        (docs / name).write_text(text)


def _goals(results: list[dict[str, Any]]) -> Iterable[str]:
    rows = [(one, goal) for one in results for goal in one["goals"]]
    met = sum(goal["ok"] for _, goal in rows)
    yield f"## Goals: {met} of {len(rows)} met\n"
    yield "| benchmark | goal | bound | measured | |"
    yield "|---|---|---|---:|---|"
    for one, goal in rows:
        value = "not measured here" if goal["value"] is None else _number(goal["value"])
        name = _text(one["name"])
        yield (
            f"| [{name}](#{name}) | {_text(goal['name'])} | {_text(goal['goal'])} | {value} | "
            f"{'met' if goal['ok'] else '**not met**'} |"
        )
    yield ""


def _peers() -> Iterable[str]:
    yield "## Peers\n"
    yield "| benchmark | peer | compared | not compared |"
    yield "|---|---|---|---|"
    for peer in PEERS:
        yield f"| {peer.benchmark} | {_text(peer.name)} | {_text(peer.compared)} | {_text(peer.not_compared)} |"
    yield ""


def _part(one: dict[str, Any]) -> Iterable[str]:
    machine = one["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in one["versions"].items())
    yield f"## {one['name']}\n"
    yield f"{one['about']}\n"
    yield (
        f"*{one['date']}, {machine['processors']} processors, {machine['system']}, Python {machine['python']}; load "
        f"{one['load']}; seed {one['seed']}; {versions}.*\n"
    )
    for at, picture in enumerate(one.get("bars", ())):
        yield f"![{picture['title']}]({_picture(one, at)})\n"
    yield from table(one["rows"])


def table(rows: list[dict[str, Any]]) -> Iterable[str]:
    """Rows with the same keys as Markdown; a long one is folded."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    if not keys:
        return
    folded = len(rows) > FOLD
    if folded:
        yield f"<details><summary>{len(rows)} rows</summary>\n"
    yield "| " + " | ".join(_text(key) for key in keys) + " |"
    yield "|" + "|".join(_aligned(row.get(key) for row in rows) for key in keys) + "|"
    for row in rows:
        yield "| " + " | ".join(_number(row.get(key)) for key in keys) + " |"
    yield "\n</details>\n" if folded else ""


def _aligned(column: Iterable[object]) -> str:
    return "---:" if all(value is None or isinstance(value, int | float) for value in column) else "---"


def _values(rows: list[dict[str, Any]], picture: dict[str, Any]) -> list[tuple[str, float]]:
    named = ((" ".join(str(row[key]) for key in picture["label"]), row.get(picture["value"])) for row in rows)
    return [(label, value) for label, value in named if isinstance(value, int | float)]


def _picture(one: dict[str, Any], at: int) -> str:
    return f"{PICTURES}/{one['name']}-{at + 1}.svg"


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else _text(cell(value))


def _text(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


if __name__ == "__main__":
    write()
