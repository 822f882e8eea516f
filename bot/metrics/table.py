"""The table of docs/metrics.md, made from the names: `python -m bot.metrics.table` writes it."""

from pathlib import Path

from bot.store.metric_names import ALL, Metric

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
HEAD = "| name | type | labels | what it is |\n|---|---|---|---|\n"


def written(page: str) -> str:
    """The page with the table as it has to be."""
    before, _, after = page.partition(HEAD)
    rest = after.partition("\n\n")[2]
    return f"{before}{HEAD}{''.join(map(_row, ALL))}\n{rest}"


def _row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"| `{metric.name}` | {metric.kind} | {labels} | {metric.help} |\n"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
