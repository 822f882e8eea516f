"""All formats that Heal reads. A new tool is one file in its language's folder, and its samples; there is no list to
update.

Each module defines `FORMAT`, or `FORMATS` for several that share their code. A module whose name begins with `_` isn't
a format; it is shared by formats in its folder.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from healing.logs.format import Format


@cache
def formats() -> tuple[Format, ...]:
    """All formats, in the order of their modules' names. Imports the modules on first use, when a log is read."""
    return tuple(_load())


def _load() -> Iterator[Format]:
    for module in walk_packages(__path__, f"{__name__}."):
        if not module.ispkg and not module.name.rpartition(".")[2].startswith("_"):
            names = vars(import_module(module.name))
            yield from names.get("FORMATS", ()) or (names["FORMAT"],)
