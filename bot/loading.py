"""How modules are loaded when a command begins."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Modules are loaded without the garbage collector: they make many objects that all stay, and looking through them
    again and again takes a tenth of a command's start. Afterwards it passes them over for good."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
