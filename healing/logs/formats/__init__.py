"""Every format Heal can read. A new tool is one file in its language's folder and its samples: no list to keep.

Each module below gives `FORMAT`, or `FORMATS` where one tool has several that share their code. A module whose name
begins with `_` is no format: several of its folder share it.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from healing.logs.format import Format


@cache
def formats() -> tuple[Format, ...]:
    """All formats, in the order of their modules' names. Imports them: only reading a log pays for that."""
    return tuple(_found())


def _found() -> Iterator[Format]:
    for module in walk_packages(__path__, f"{__name__}."):
        if not module.ispkg and not module.name.rpartition(".")[2].startswith("_"):
            inside = vars(import_module(module.name))
            yield from inside.get("FORMATS", ()) or (inside["FORMAT"],)
