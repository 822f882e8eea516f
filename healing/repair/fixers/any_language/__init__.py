"""Fixers for any language, which compare a pull request's changes word by word, or look at how lines end."""

from healing.repair.fixers.any_language.added_argument import AddedArgument
from healing.repair.fixers.any_language.bracket_slip import BracketSlip
from healing.repair.fixers.any_language.changed_text import ChangedText
from healing.repair.fixers.any_language.lost_import import LostImport
from healing.repair.fixers.any_language.lost_lines import LostLines
from healing.repair.fixers.any_language.lost_mark import LostMark
from healing.repair.fixers.any_language.lost_part import LostPart
from healing.repair.fixers.any_language.lost_words import LostWords
from healing.repair.fixers.any_language.merge_mark import MergeMark
from healing.repair.fixers.any_language.misspelt_word import MisspeltWord
from healing.repair.fixers.any_language.moved_package import MovedPackage
from healing.repair.fixers.any_language.moved_path import MovedPath
from healing.repair.fixers.any_language.removed_argument import RemovedArgument
from healing.repair.fixers.any_language.renamed_word import RenamedWord
from healing.repair.fixers.any_language.reordered_call import ReorderedCall
from healing.repair.fixers.any_language.repeated_definition import RepeatedDefinition
from healing.repair.fixers.fixer import Fixer

ANY_LANGUAGE: tuple[Fixer, ...] = (
    MergeMark(),
    RenamedWord(),
    LostImport(),
    MovedPackage(),
    ReorderedCall(),
    RemovedArgument(),
    AddedArgument(),
    RepeatedDefinition(),
    LostPart(),
    MovedPath(),
    LostMark(),
    BracketSlip(),
    MisspeltWord(),
    LostLines(),
    LostWords(),
    ChangedText(),
)

__all__ = ["ANY_LANGUAGE"]
