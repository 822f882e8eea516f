"""Fixers, the second free tier: fixes that need no model and are proven like any other."""

from healing.fixers.any_language import ANY_LANGUAGE
from healing.fixers.fixer import Fixer, Repo
from healing.fixers.python import PYTHON

FIXERS: tuple[Fixer, ...] = (*PYTHON, *ANY_LANGUAGE)

__all__ = ["FIXERS", "Fixer", "Repo"]
