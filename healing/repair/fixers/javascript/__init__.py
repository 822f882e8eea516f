"""Fixers for JavaScript and TypeScript."""

from healing.repair.fixers.fixer import Fixer
from healing.repair.fixers.javascript.import_path import ImportPath
from healing.repair.fixers.javascript.misspelt_rule import MisspeltRule

JAVASCRIPT: tuple[Fixer, ...] = (MisspeltRule(), ImportPath())

__all__ = ["JAVASCRIPT"]
