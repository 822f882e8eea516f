"""Flow's JSON: an error is a sentence in pieces, each with a place; the first with file and line is the error's."""

from collections.abc import Iterator

from healing.logs.documents.node import Node, Value, nodes, text
from healing.logs.documents.places import place
from healing.logs.format import Finding
from healing.model import Category, Related, Severity


def read(root: Value) -> Iterator[Finding]:
    """The errors that are not suppressed."""
    for report in nodes(root):
        for error in nodes(report.get("errors")):
            if error.whole and not error.get("suppressions") and (finding := _error(error)):
                yield finding


def _error(error: Node) -> Finding | None:
    pieces = list(nodes(error.get("message")))
    description = " ".join(filter(None, (text(piece.get("descr")) for piece in pieces)))
    spots = [place(piece) for piece in pieces] + [place(error)]
    spot = next((spot for spot in spots if spot.file and spot.line), spots[-1])
    if not description:
        return None
    codes = error.get("error_codes")
    return Finding(
        tool="flow", category=Category.TYPE, message=description, log_line=error.line, file=spot.file, line=spot.line,
        column=spot.column, end_line=spot.end_line, end_column=spot.end_column, excerpt=description,
        code=str(codes[0]) if isinstance(codes, list) and codes else None, related=tuple(_notes(error)),
        severity=Severity.WARNING if error.get("level") == "warning" else Severity.ERROR,
    )  # fmt: skip


def _notes(error: Node) -> Iterator[Related]:
    for extra in nodes(error.get("extra")):
        for piece in nodes(extra.get("message")):
            spot = place(piece)
            if spot.file and spot.line:
                yield Related(file=spot.file, line=spot.line, column=spot.column, message=text(piece.get("descr")))
