"""What the App has to be allowed, by app.yml, and what an installation does not grant of it."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from healing.model import Frozen

PLACES = tuple(folder / "app.yml" for folder in Path(__file__).parents[1:3])  # installed, and in a checkout
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
    """A permission that is not granted: what is wanted, what there is, what it is for."""

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
    """Permissions by app.yml."""
    permissions = manifest()["default_permissions"]
    assert isinstance(permissions, dict)
    return {str(name): str(level) for name, level in permissions.items()}


def manifest() -> dict[str, object]:
    """All of app.yml, read again."""
    from ruamel.yaml import YAML

    found = next(place for place in PLACES if place.is_file())
    loaded: dict[str, object] = YAML(typ="safe", pure=True).load(found.read_text("utf-8"))
    return loaded


def missing(granted: Mapping[str, str]) -> tuple[Missing, ...]:
    """What is wanted and not granted. A stronger grant is no lack."""
    return tuple(
        Missing(name=name, wanted=level, granted=granted.get(name, "nothing"), use=USES.get(name, "by app.yml"))
        for name, level in wanted().items()
        if LEVELS.get(granted.get(name, "none"), 0) < LEVELS[level]
    )
