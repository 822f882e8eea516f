"""Fixers for Python."""

from healing.repair.fixers.fixer import Fixer
from healing.repair.fixers.python.changed_signature import ChangedSignature
from healing.repair.fixers.python.circular_import import CircularImport
from healing.repair.fixers.python.half_renamed_local import HalfRenamedLocal
from healing.repair.fixers.python.indentation_slip import IndentationSlip
from healing.repair.fixers.python.layout import Layout
from healing.repair.fixers.python.linted import Linted
from healing.repair.fixers.python.long_line import LongLine
from healing.repair.fixers.python.lost_annotation import LostAnnotation
from healing.repair.fixers.python.lost_reexport import LostReexport
from healing.repair.fixers.python.missing_dependency import MissingDependency
from healing.repair.fixers.python.missing_import import MissingImport
from healing.repair.fixers.python.missing_self import MissingSelf
from healing.repair.fixers.python.missing_word import MissingAwait, MissingReturn
from healing.repair.fixers.python.misspelt_definition import MisspeltDefinition
from healing.repair.fixers.python.misspelt_module import MisspeltModule
from healing.repair.fixers.python.misspelt_name import MisspeltName
from healing.repair.fixers.python.moved_symbol import MovedSymbol
from healing.repair.fixers.python.named_replacement import NamedReplacement
from healing.repair.fixers.python.raise_from import RaiseFrom
from healing.repair.fixers.python.renamed_fixture import RenamedFixture
from healing.repair.fixers.python.renamed_symbol import RenamedSymbol
from healing.repair.fixers.python.swapped_arguments import SwappedArguments
from healing.repair.fixers.python.syntax_slip import SyntaxSlip
from healing.repair.fixers.python.unused_import import UnusedImport

# In order of certainty.
PYTHON: tuple[Fixer, ...] = (
    Layout(),
    RenamedSymbol(),
    MovedSymbol(),
    LostAnnotation(),
    ChangedSignature(),
    MissingImport(),
    LostReexport(),
    HalfRenamedLocal(),
    MisspeltDefinition(),
    NamedReplacement(),
    RenamedFixture(),
    MissingSelf(),
    SyntaxSlip(),
    IndentationSlip(),
    UnusedImport(),
    LongLine(),
    Linted(),
    RaiseFrom(),
    MissingAwait(),
    MisspeltName(),
    MisspeltModule(),
    MissingDependency(),
    CircularImport(),
    MissingReturn(),
    SwappedArguments(),
)

__all__ = ["PYTHON"]
