"""Files that no model is shown: `.env` files, and those that `.healignore` names, with .gitignore syntax."""

from collections.abc import Callable
from dataclasses import dataclass, field

from healing.git.ignore import Ignores, parse
from healing.view import TreeView

UNSENT_PATH = ".healignore"
ENV = ".env"
# Endings of example files, which name the variables but hold no secret values.
EXAMPLES = (".example", ".sample", ".template", ".dist")


def closed_by_name(path: str) -> bool:
    """Whether a file is closed to models in every repository: `.env`, `.env.local` and others that begin so, and
    everything in a folder of that name. Examples of such files are open."""
    *folders, name = path.lower().split("/")
    if any(folder == ENV or folder.startswith(ENV + ".") for folder in folders):
        return True
    return name.startswith(ENV) and not name.endswith(EXAMPLES)


@dataclass(frozen=True)
class UnsentFiles:
    """The files that no model is shown."""

    ignores: Ignores = field(default_factory=lambda: parse(b""))

    @classmethod
    def of(cls, read: Callable[[str], bytes | None]) -> "UnsentFiles":
        """Reads `.healignore`; from the base branch, so that a pull request can't open what it closes."""
        return cls(parse(read(UNSENT_PATH) or b""))

    def __contains__(self, path: str) -> bool:
        """Whether the file is closed by its name, or it or a folder above it is listed; as in git, nothing below such a
        folder can be included again."""
        if closed_by_name(path):
            return True
        parts = path.encode("utf-8", "replace").split(b"/")
        places = [b"/".join(parts[:count]) for count in range(1, len(parts) + 1)]
        return any(self.ignores.verdict(place, place != places[-1]) for place in places)

    def hide(self, view: TreeView) -> Callable[[str], bytes | None]:
        """The view's `read`, which returns None for these files."""
        return lambda path: None if path in self else view.read(path)
