"""Documents as tools write them, and what is expected of each.

`samples/*` have errors, `quiet/*` none. `python -m tests.logs.documents.samples` writes `expected/*` anew; read the
diff before you commit it.
"""

import json
from pathlib import Path
from typing import Any

from tests.logs import record

HERE = Path(__file__).parent
SAMPLES = sorted((HERE / "samples").iterdir())
QUIET = sorted((HERE / "quiet").iterdir())


def expected_file(path: Path) -> Path:
    return HERE / "expected" / f"{path.name}.json"


def expected(path: Path) -> list[dict[str, Any]]:
    return in_order(json.loads(expected_file(path).read_text()))


def found(log: bytes) -> list[dict[str, Any]]:
    return in_order(record.expected(log))


def in_order(errors: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By line of the log; a report in one line tells all of its errors there."""
    return sorted(errors, key=lambda error: (error["log_line"], json.dumps(error)))


def main() -> None:
    for path in SAMPLES:
        target = expected_file(path)
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(found(path.read_bytes()), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
