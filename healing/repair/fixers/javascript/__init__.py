"""Fixers for JavaScript and TypeScript."""

from healing.repair.fixers.fixer import Fixer
from healing.repair.fixers.javascript.import_path import ImportPath
from healing.repair.fixers.javascript.missing_import import MissingJsImport

JAVASCRIPT: tuple[Fixer, ...] = (ImportPath(), MissingJsImport())

__all__ = ["JAVASCRIPT"]
