"""Changes that cheat and honest ones, as data: each file's `files` are a project, each case swaps texts in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from healing.model import Category, CIError
from healing.verify.guard import GuardFinding, findings

HERE = Path(__file__).parent
LANGUAGES = ("python", "javascript", "go", "rust", "settings", "disguises", "unseen")


@dataclass(frozen=True)
class Case:
    """One change of a project. `rule` must speak against it; None: it is honest."""

    language: str
    name: str
    rule: str | None
    files: dict[str, str]
    change: dict[str, Any]
    errors: tuple[CIError, ...]
    modes: dict[str, str]

    @property
    def id(self) -> str:
        """Its place in the corpus."""
        return f"{self.language}: {self.name}"

    def findings(self) -> tuple[GuardFinding, ...]:
        """What the guard finds."""
        changes = {path: (_bytes(self.files.get(path)), self.after(path)) for path in self.change}
        return findings(changes, self.errors, lambda path: _bytes(self.files.get(path)), self.modes)

    def after(self, path: str) -> bytes | None:
        """A file after the change: swapped texts, a new text, or None where it is deleted."""
        wanted = self.change[path]
        if wanted is None or isinstance(wanted, str):
            return _bytes(wanted)
        text = self.files[path]
        for old, new in wanted:
            assert text.count(old) == 1, f"{self.id}: {old!r} stands {text.count(old)} times in {path}"
            text = text.replace(old, new)
        return text.encode()


def cases() -> Iterator[Case]:
    """Every case of the corpus."""
    for language in LANGUAGES:
        reported = YAML(typ="safe", pure=True).load(HERE / f"{language}.yaml")
        for raw in (*reported["cheats"], *reported["honest"]):
            error = {**reported["error"], **raw.get("error", {})}
            yield Case(
                language,
                raw["name"],
                raw.get("rule"),
                {**reported["files"], **raw.get("files", {})},
                raw["change"],
                (_error(error),),
                raw.get("modes", {}),
            )


def _error(reported: dict[str, Any]) -> CIError:
    category = Category(reported.pop("category"))
    return CIError(id="E1", category=category, message=reported.pop("message", "it fails"), **reported)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()
