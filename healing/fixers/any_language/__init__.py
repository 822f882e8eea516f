"""Fixers that read what a pull request did word by word, whatever the language."""

from healing.fixers.any_language.renamed_word import RenamedWord
from healing.fixers.fixer import Fixer

ANY_LANGUAGE: tuple[Fixer, ...] = (RenamedWord(),)

__all__ = ["ANY_LANGUAGE"]
