"""What one file says by itself, whatever tree it lies in: it can be kept by the file's blob id."""

from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(frozen=True)
class Import:
    """One wish to use another file, in the words of its language: `module` and the `names` taken out of it, where the
    language has such. `level`: the leading dots of Python."""

    level: int
    module: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Facts:
    """`definitions`: names that the file offers others. `mentions`: identifiers in it, for languages that need no
    import to use a file of the same package. `package`: what it says it belongs to."""

    imports: tuple[Import, ...] = ()
    definitions: frozenset[str] = frozenset()
    mentions: frozenset[str] = frozenset()
    package: str = ""

    @property
    def offer(self) -> Hashable:
        """What edges of *other* files may hang on: while it stays the same, only this file's own are made again."""
        return ()


NOTHING = Facts()
