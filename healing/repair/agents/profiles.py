"""Specialists as data: the errors they are given, their instructions, their tools and their reasoning effort.

Each is one file in specialists/; adding one needs no code. A repository can add its own in `.github/heal/specialists/`
of its base branch: they get the instructions that the maintainers write, and only tools that Heal's own have too.
"""

import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, ValidationError

from healing.llm.protocol import Effort
from healing.model import Category, Frozen, NotChecked
from healing.repair.agents.tool_arguments import TOOLS

GENERALIST = "generalist"
FOLDER = ".github/heal/specialists"
LIMIT = 20  # specialists of a repository's own
MAX_BYTES = 16_384  # of one file

Complexity = Literal["simple", "moderate", "complex"]
Word = Annotated[str, StringConstraints(min_length=1, max_length=100)]


def _known(names: tuple[str, ...]) -> tuple[str, ...]:
    unknown = sorted(set(names) - set(TOOLS))
    if unknown:
        raise ValueError(f"there is no tool {unknown[0]!r}; there are {', '.join(sorted(TOOLS))}")
    return names


class Profile(Frozen):
    """A specialist. Its capabilities are `categories` of errors, `words` in their messages, and `rules`: shell patterns
    over codes. `confidence` (0..1) is the success rate that is expected before there is a record. It has all tools,
    unless `tools` names some."""

    name: str
    purpose: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    categories: tuple[Category, ...] = Field(min_length=1)
    words: tuple[Word, ...] = Field(default=(), max_length=100)
    rules: tuple[Word, ...] = Field(default=(), max_length=100)
    complexity: tuple[Complexity, ...] = ("simple", "moderate", "complex")
    confidence: float = Field(default=0.6, ge=0, le=1)
    tools: Annotated[tuple[str, ...], AfterValidator(_known)] = tuple(TOOLS)
    effort: dict[Literal["fast", "slow"], Effort]
    instructions: Annotated[str, StringConstraints(min_length=1, max_length=8_000)]


def load_profile(name: str) -> Profile:
    """A shipped specialist by its file's name. Raises FileNotFoundError, and ValidationError for an invalid file."""
    raw = (files("healing.repair.agents") / "specialists" / f"{name}.toml").read_text("utf-8")
    return Profile.model_validate({"name": name, **tomllib.loads(raw)})


@cache
def shipped() -> tuple[Profile, ...]:
    """Heal's own specialists, by name; the generalist is the last."""
    names = sorted(
        file.name.removesuffix(".toml")
        for file in (files("healing.repair.agents") / "specialists").iterdir()
        if file.name.endswith(".toml")
    )
    return tuple(load_profile(name) for name in sorted(names, key=lambda name: (name == GENERALIST, name)))


def of_repository(
    paths: Iterable[str], read: Callable[[str], bytes | None]
) -> tuple[tuple[Profile, ...], tuple[NotChecked, ...]]:
    """The repository's own specialists, by name, and what is wrong with those that can't be used. One with the name of
    a shipped one replaces it."""
    own_paths = sorted(path for path in paths if path.startswith(f"{FOLDER}/") and path.endswith(".toml"))
    profiles: list[Profile] = []
    problems: list[NotChecked] = []
    for path in own_paths[:LIMIT]:
        try:
            profiles.append(_read(path, read(path)))
        except (ValueError, ValidationError) as error:
            problems.append(NotChecked(what=path, why=_first_line(error), advice="Fix the file on the base branch."))
    if len(own_paths) > LIMIT:
        problems.append(NotChecked(what=FOLDER, why=f"it has {len(own_paths)} files; only the first {LIMIT} are used"))
    return tuple(profiles), tuple(problems)


def _read(path: str, data: bytes | None) -> Profile:
    if data is None or len(data) > MAX_BYTES:
        raise ValueError(f"it is no regular file of at most {MAX_BYTES} bytes")
    name = path.rpartition("/")[2].removesuffix(".toml")
    if not name.replace("_", "").replace("-", "").isalnum() or len(name) > 60:
        raise ValueError("its name may have letters, digits, - and _ only")
    return Profile.model_validate({**tomllib.loads(data.decode("utf-8")), "name": name})


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc'])) or 'file'}: {first['msg']}"
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


def registry(own: tuple[Profile, ...] = ()) -> tuple[Profile, ...]:
    """All specialists to choose from: the shipped ones, with the repository's in place of those with the same name."""
    named = {profile.name: profile for profile in (*shipped(), *own)}
    return tuple(named[name] for name in sorted(named, key=lambda name: (name == GENERALIST, name)))
