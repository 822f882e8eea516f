"""Kept results: one JSON file for each benchmark, as it was last measured whole, with the day and the load."""

import hashlib
import json
import os
import re
from datetime import date
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def name_of(benchmark: str, *measured: str, content: bytes) -> str:
    """The name of the result of a benchmark that is measured on a set of cases which the caller chose. It carries set
    and manner, so that the figures of one set never replace another's. `content` is what the set consists of."""
    words = (re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") for word in measured)
    return "-".join([benchmark, *(word for word in words if word), hashlib.sha256(content).hexdigest()[:8]])


def keep(reported: str, about: str, folder: Path, today: date, took: float | None = None) -> Path:
    """Writes a result (as `Result.as_json` gives it) with what it compares, the day, the machine's load over the last
    minute (a busy machine stretches the clock) and the seconds that measuring took. Gives the file."""
    load = round(os.getloadavg()[0], 1)
    value = {
        "about": about,
        "date": today.isoformat(),
        "load": load,
        "took": took and round(took),
        **json.loads(reported),
    }
    folder.mkdir(exist_ok=True)
    file = folder / f"{value['name']}.json"
    file.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")
    return file


def kept(folder: Path = RESULTS) -> list[dict[str, Any]]:
    """All kept results, by name."""
    return [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
