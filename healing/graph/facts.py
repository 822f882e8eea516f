"""What can be read from one file alone, independent of its tree, so that it can be cached by the blob id."""

from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(frozen=True)
class Import:
    """One import in its language's own terms: `module`, and the `names` imported from it, where the language has such.
    `level` is the number of leading dots in Python."""

    level: int
    module: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Facts:
    """The facts of one file. `definitions`: names that other files can use. `mentions`: identifiers in it, for
    languages that need no import to use a file of the same package. `package`: the package that it declares."""

    imports: tuple[Import, ...] = ()
    definitions: frozenset[str] = frozenset()
    mentions: frozenset[str] = frozenset()
    package: str = ""

    @property
    def offer(self) -> Hashable:
        """The facts on which edges of *other* files depend; while it is unchanged, only this file's own are rebuilt."""
        return ()


NOTHING = Facts()
