"""Templates of repairs: the most common mistakes, each reversed. One file each; they only propose."""

from collections.abc import Callable, Iterator

from healing.repair.search.source import Change, Source
from healing.repair.search.templates.arguments import swapped_arguments, wrong_argument
from healing.repair.search.templates.arithmetic import arithmetic
from healing.repair.search.templates.attribute import attribute
from healing.repair.search.templates.boolean import boolean, negation
from healing.repair.search.templates.comparison import comparison
from healing.repair.search.templates.constant import constant
from healing.repair.search.templates.guard import guard
from healing.repair.search.templates.returns import lost_return, missing_return

Template = Callable[[Source, frozenset[int]], Iterator[Change]]

TEMPLATES: dict[str, Template] = {
    "comparison": comparison,
    "boolean": boolean,
    "negation": negation,
    "constant": constant,
    "arithmetic": arithmetic,
    "return": lost_return,
    "arguments": swapped_arguments,
    "attribute": attribute,
    "missing_return": missing_return,
    "guard": guard,
    "wrong_argument": wrong_argument,
}
