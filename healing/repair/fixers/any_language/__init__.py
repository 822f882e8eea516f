"""Fixers that read what a pull request did word by word, or where a line ends, whatever the language."""

from healing.repair.fixers.any_language.bracket_slip import BracketSlip
from healing.repair.fixers.any_language.lost_import import LostImport
from healing.repair.fixers.any_language.renamed_word import RenamedWord
from healing.repair.fixers.fixer import Fixer

ANY_LANGUAGE: tuple[Fixer, ...] = (RenamedWord(), LostImport(), BracketSlip())

__all__ = ["ANY_LANGUAGE"]
