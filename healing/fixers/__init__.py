"""Fixers, the second free tier: cures that need no model and are proven like any other (AF-3)."""

from healing.fixers.fixer import Fixer, Repo
from healing.fixers.missing_import import MissingImport
from healing.fixers.misspelt_name import MisspeltName
from healing.fixers.renamed_symbol import RenamedSymbol
from healing.fixers.swapped_arguments import SwappedArguments
from healing.fixers.syntax_slip import SyntaxSlip

# In order of certainty.
FIXERS: tuple[Fixer, ...] = (RenamedSymbol(), MissingImport(), SyntaxSlip(), MisspeltName(), SwappedArguments())

__all__ = ["FIXERS", "Fixer", "Repo"]
