"""Fixers for Python."""

from healing.fixers.fixer import Fixer
from healing.fixers.python.changed_signature import ChangedSignature
from healing.fixers.python.indentation_slip import IndentationSlip
from healing.fixers.python.lost_annotation import LostAnnotation
from healing.fixers.python.lost_reexport import LostReexport
from healing.fixers.python.missing_dependency import MissingDependency
from healing.fixers.python.missing_import import MissingImport
from healing.fixers.python.missing_self import MissingSelf
from healing.fixers.python.missing_word import MissingAwait, MissingReturn
from healing.fixers.python.misspelt_definition import MisspeltDefinition
from healing.fixers.python.misspelt_name import MisspeltName
from healing.fixers.python.moved_symbol import MovedSymbol
from healing.fixers.python.renamed_symbol import RenamedSymbol
from healing.fixers.python.swapped_arguments import SwappedArguments
from healing.fixers.python.syntax_slip import SyntaxSlip

# In order of certainty.
PYTHON: tuple[Fixer, ...] = (
    RenamedSymbol(),
    MovedSymbol(),
    LostAnnotation(),
    ChangedSignature(),
    MissingImport(),
    LostReexport(),
    MisspeltDefinition(),
    MissingSelf(),
    SyntaxSlip(),
    IndentationSlip(),
    MissingAwait(),
    MisspeltName(),
    MissingDependency(),
    MissingReturn(),
    SwappedArguments(),
)

__all__ = ["PYTHON"]
