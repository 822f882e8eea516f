"""The part of docs/operating-workers.md that says how far Heal goes: written from the results of `capacity`.

`python -m benchmarks.written` writes it again, as does measuring; a test compares the page with the data.
"""

from pathlib import Path
from typing import Any

from benchmarks.keeping import RESULTS, kept
from benchmarks.scoreboard import DOCS, PICTURES, table

PAGE = DOCS / "operating-workers.md"
BEGIN, END = "<!-- written by `python -m benchmarks capacity` -->", "<!-- until here -->"
NOT_YET = "It has not been measured on this machine: `python -m benchmarks capacity` does, and writes this part."
SCALE = (
    "repositories",
    "runs/s",
    "workers",
    "database writes/s",
    "of one PostgreSQL",
    "calls/h of an installation",
    "of its limit",
    "first limit",
    "what lifts it",
)


def section(results: list[dict[str, Any]]) -> str:
    """The text between the two marks."""
    found = next((one for one in results if one["name"] == "capacity"), None)
    return "\n".join(_told(found)) if found else NOT_YET


def _told(found: dict[str, Any]) -> list[str]:
    scales = [row for row in found["rows"] if "workers" in row]
    costs = {key: value for row in found["rows"] if "workers" not in row for key, value in row.items()}
    return [
        "A plan for the busiest hour, simulated run by run from what one run costs on one machine "
        f"({found['date']}, load {found['load']}, {found['machine']['processors']} processors): "
        f"{costs['seconds of a worker']} seconds of a worker, {costs['GitHub calls']} calls to GitHub, "
        f"{costs['database rows']} database writes; one PostgreSQL took {costs['database writes/s']} writes a second. "
        "Assumed are 40 deliveries and 0.8 red runs a day of each repository, 15 % of them in that hour, 20 "
        "repositories in an installation, and that 95 of 100 runs begin within a minute.",
        "",
        *table([{key: row.get(key) for key in SCALE} for row in scales]),
        "",
        f"![{found['bars'][0]['title']}]({PICTURES}/capacity-1.svg)",
    ]


def page(text: str, results: list[dict[str, Any]]) -> str:
    """The page with its part written anew. Raises ValueError where the marks are gone."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} has no place for the part about capacity: {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{section(results)}\n{END}{after}"


def write(results: Path = RESULTS, place: Path = PAGE) -> None:
    """Writes the part where it stands."""
    place.write_text(page(place.read_text(), kept(results)))


if __name__ == "__main__":
    write()
