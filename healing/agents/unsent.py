"""`.healignore`: files that no model is ever shown, named by the repository as in a .gitignore (OP-9)."""

from collections.abc import Callable
from dataclasses import dataclass, field

from healing.gitio.ignore import Ignores, parse
from healing.view import TreeView

UNSENT_PATH = ".healignore"


@dataclass(frozen=True)
class Unsent:
    """Which files stay here. With no patterns: none."""

    ignores: Ignores = field(default_factory=lambda: parse(b""))

    @classmethod
    def of(cls, read: Callable[[str], bytes | None]) -> "Unsent":
        """What `.healignore` says, read from the base branch: a pull request can't open what it closes."""
        return cls(parse(read(UNSENT_PATH) or b""))

    def __contains__(self, path: str) -> bool:
        """Whether the file, or a folder above it, is named; as in git, nothing below such a folder is let out again."""
        parts = path.encode("utf-8", "replace").split(b"/")
        places = [b"/".join(parts[:count]) for count in range(1, len(parts) + 1)]
        return any(self.ignores.verdict(place, place != places[-1]) for place in places)

    def hide(self, view: TreeView) -> Callable[[str], bytes | None]:
        """The view's `read` without these files."""
        return lambda path: None if path in self else view.read(path)
