"""The permissions that the App needs according to app.yml, and those that an installation doesn't grant."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from healing.model import Frozen

PLACES = tuple(folder / "app.yml" for folder in Path(__file__).parents[1:3])  # of an installation, and of a checkout
LEVELS = {"none": 0, "read": 1, "write": 2, "admin": 3}
USES = {
    "metadata": "to know the repository at all",
    "contents": "to fetch code, and to commit what a maintainer asks for",
    "pull_requests": "to offer suggested changes and to answer comments",
    "checks": "to read annotations and to show the check run",
    "actions": "to read job logs",
    "issues": "to hear /heal in comments",
    "statuses": "to hear CI that reports by commit statuses",
}


class Missing(Frozen):
    """A permission that is not granted: the wanted level, the granted level, and its use."""

    name: str
    wanted: str
    granted: str
    use: str

    @property
    def sentence(self) -> str:
        """`checks: write is wanted, read is granted (to …)`."""
        return f"{self.name}: {self.wanted} is wanted, {self.granted} is granted ({self.use})"


@cache
def wanted() -> dict[str, str]:
    """Returns the permissions in app.yml, name → level."""
    permissions = manifest()["default_permissions"]
    assert isinstance(permissions, dict)
    return {str(name): str(level) for name, level in permissions.items()}


def manifest() -> dict[str, object]:
    """Reads app.yml."""
    from ruamel.yaml import YAML

    file = next(place for place in PLACES if place.is_file())
    loaded: dict[str, object] = YAML(typ="safe", pure=True).load(file.read_text("utf-8"))
    return loaded


def missing(granted: Mapping[str, str]) -> tuple[Missing, ...]:
    """Returns the permissions that are wanted but not granted. A stronger grant suffices."""
    return tuple(
        Missing(name=name, wanted=level, granted=granted.get(name, "nothing"), use=USES.get(name, "by app.yml"))
        for name, level in wanted().items()
        if LEVELS.get(granted.get(name, "none"), 0) < LEVELS[level]
    )
