"""The graph of a run's errors, root causes, clusters and proposals: up to four columns, joined from left to right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bot.web.drawing import svg

COLUMN, GAP, ROW, HEAD = 205.0, 26.0, 30.0, 30.0
LIMIT = 40  # nodes per column


@dataclass(frozen=True)
class Node:
    """One node: `text` is cut to fit, `title` is shown in full. `to`: keys of nodes in columns further right."""

    key: str
    text: str
    title: str
    look: str
    to: tuple[str, ...] = ()


@dataclass(frozen=True)
class Column:
    name: str
    nodes: Sequence[Node]


def graph(columns: Sequence[Column]) -> Markup:
    """Returns the drawing; empty if there are no nodes."""
    shown = [Column(column.name, column.nodes[:LIMIT]) for column in columns]
    rows = max((len(column.nodes) for column in shown), default=0)
    if not rows:
        return Markup("")
    more = any(len(column.nodes) > LIMIT for column in columns)
    height = HEAD + ROW * rows + (20 if more else 4)
    places = _places(shown, rows)
    shapes = [*_joins(shown, places)]
    for number, column in enumerate(shown):
        x = number * (COLUMN + GAP)
        shapes.append(svg.words(x, 16, f"{column.name} ({len(columns[number].nodes)})", "head"))
        shapes += [shape for node in column.nodes for shape in _drawn(node, places[node.key])]
        if len(columns[number].nodes) > LIMIT:
            left = len(columns[number].nodes) - LIMIT
            shapes.append(svg.words(x, height - 6, f"and {left} more, in the tables below", "tick"))
    counts = ", ".join(f"{len(column.nodes)} {column.name.lower()}" for column in columns)
    label = f"Graph of {counts}. The tables below show the same."
    return svg.drawing(len(shown) * (COLUMN + GAP) - GAP, height, label, shapes, "graph")


def _places(columns: Sequence[Column], rows: int) -> dict[str, tuple[float, float]]:
    """Returns the top left corners of the nodes; a short column is spread over the height of the longest."""
    places = {}
    for number, column in enumerate(columns):
        step = ROW * rows / len(column.nodes) if column.nodes else ROW
        for row, node in enumerate(column.nodes):
            places[node.key] = (number * (COLUMN + GAP), HEAD + step * row + (step - ROW) / 2)
    return places


def _joins(columns: Sequence[Column], places: Mapping[str, tuple[float, float]]) -> list[svg.Shape]:
    joins = []
    for column in columns:
        for node in column.nodes:
            x, y = places[node.key]
            ends = [places[key] for key in node.to if key in places]
            joins += [svg.curve(x + COLUMN, y + ROW / 2 - 2, to_x, to_y + ROW / 2 - 2, "join") for to_x, to_y in ends]
    return joins


def _drawn(node: Node, place: tuple[float, float]) -> list[svg.Shape]:
    x, y = place
    return [
        svg.box(x, y, COLUMN, ROW - 6, f"node {node.look}", node.title, 5),
        svg.words(x + 8, y + 16, svg.cut(node.text, 30), "label"),
    ]
