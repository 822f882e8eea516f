"""Fixers, the second free step: fixes that need no model and are proven like any other."""

from healing.repair.fixers.any_language import ANY_LANGUAGE
from healing.repair.fixers.documents import DOCUMENTS
from healing.repair.fixers.fixer import Fixer, Repo
from healing.repair.fixers.javascript import JAVASCRIPT
from healing.repair.fixers.python import PYTHON

FIXERS: tuple[Fixer, ...] = (*PYTHON, *JAVASCRIPT, *DOCUMENTS, *ANY_LANGUAGE)

__all__ = ["FIXERS", "Fixer", "Repo"]
