"""Fixers, the second free tier: cures that need no model and are proven like any other (AF-3)."""

from healing.fixers.fixer import Fixer, Repo
from healing.fixers.python import PYTHON

FIXERS: tuple[Fixer, ...] = PYTHON

__all__ = ["FIXERS", "Fixer", "Repo"]
