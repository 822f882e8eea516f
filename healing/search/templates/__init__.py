"""Templates of repairs: the slips that people make most, each turned round. A file each; they only propose."""

from collections.abc import Callable, Iterator

from healing.search.source import Change, Source
from healing.search.templates.arguments import swapped_arguments, wrong_argument
from healing.search.templates.arithmetic import arithmetic
from healing.search.templates.attribute import attribute
from healing.search.templates.boolean import boolean, negation
from healing.search.templates.comparison import comparison
from healing.search.templates.constant import constant
from healing.search.templates.guard import guard
from healing.search.templates.returns import lost_return, missing_return

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
