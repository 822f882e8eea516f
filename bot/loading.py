"""Imports of modules when a command starts."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Disables the garbage collector while modules are imported: they create many permanent objects, and scanning them
    repeatedly takes a tenth of a command's start-up time. Afterwards these objects are excluded from collection."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
