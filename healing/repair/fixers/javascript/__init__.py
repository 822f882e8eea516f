"""Fixers for JavaScript and TypeScript."""

from healing.repair.fixers.fixer import Fixer
from healing.repair.fixers.javascript.import_path import ImportPath

JAVASCRIPT: tuple[Fixer, ...] = (ImportPath(),)

__all__ = ["JAVASCRIPT"]
