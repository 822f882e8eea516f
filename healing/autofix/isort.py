"""isort, which puts imports in order."""

from dataclasses import dataclass

from healing.autofix.call import Call
from healing.autofix.runner import told_by
from healing.autofix.settings import Habits, python_files
from healing.model import CIError

OPTIONS = frozenset({"--settings-path", "--settings-file", "--settings", "--sp", "--profile"})


@dataclass(frozen=True)
class Isort:
    """`--filter-files` makes it obey its skip settings for files that it is handed by name."""

    name: str = "isort"

    def used(self, habits: Habits) -> bool:
        settings = habits.table("isort") is not None or habits.has(".isort.cfg")
        return settings or bool(habits.called("isort") or "isort" in habits.hooks)

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return told_by(errors, ("isort",), ("isort",))

    def calls(self, files: tuple[str, ...], _errors: tuple[CIError, ...], habits: Habits, /) -> tuple[Call, ...]:
        chosen = python_files(files)
        options = habits.options("isort", OPTIONS)
        return (Call(("isort", "--quiet", "--filter-files", *options, "--", *chosen)),) if chosen else ()
