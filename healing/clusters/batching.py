"""What ties causes together: four strategies, chosen by `batching` in heal.yml."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from healing.clusters.zones import OWN, definitions_of
from healing.graph import Graph
from healing.model import Category, CIError, RootCause

Batching = Literal["dependency", "file", "type", "agent"]
AgentOf = Callable[[RootCause, Sequence[CIError]], str]
SEMANTIC = 5
TYPED = {Category.TYPE, Category.COMPILE}
TRADES = {
    "static": {Category.SYNTAX, Category.INDENTATION, Category.LINT, Category.FORMAT, Category.SECURITY},
    "types": {Category.TYPE, Category.COMPILE, Category.IMPORT},
    "tests": {Category.TEST, Category.RUNTIME},
}
TOO_COMMON = {"str", "int", "bool", "float", "string", "number", "boolean", "object", "any", "None", "NoneType", "String", "Object", "Self", "error"}  # fmt: skip  # noqa: E501


def trade_of(cause: RootCause, _errors: Sequence[CIError]) -> str:
    """The trade of a cause, where no specialists are known."""
    return next((trade for trade, categories in TRADES.items() if cause.category in categories), "settings")


def ties_of(
    cause: RootCause,
    errors: Sequence[CIError],
    zone: Mapping[str, int],
    graph: Graph,
    batching: Batching,
    agent_of: AgentOf,
) -> dict[str, int]:
    """Name of a tie → its strength, 1 the strongest. Causes with the same tie may go to one agent."""
    if batching == "file":
        return {f"file {file}": OWN for file, strength in zone.items() if strength == OWN}
    if batching == "type":
        codes = {error.code or "" for error in errors} - {""}
        return {f"kind {cause.category}": SEMANTIC, **{f"rule {cause.category} {code}": 1 for code in codes}}
    if batching == "agent":
        return {f"agent {agent_of(cause, errors)}": SEMANTIC, **_files(zone)}
    return {**{f"type {name}": SEMANTIC for name in _types(cause, graph)}, **_files(zone)}


def _files(zone: Mapping[str, int]) -> dict[str, int]:
    return {f"file {file}": strength for file, strength in zone.items()}


def _types(cause: RootCause, graph: Graph) -> set[str]:
    """Types that the errors are about and that the repo doesn't define, or defines in too many places; otherwise the
    file that defines the type is the tie."""
    if cause.category not in TYPED:
        return set()
    names = {symbol.replace("::", ".").rpartition(".")[2] for symbol in cause.symbols}
    return {name for name in names - TOO_COMMON if name[:1].isupper() and not definitions_of(name, graph)}
