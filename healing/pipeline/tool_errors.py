"""Which errors the repository's tools may fix, and which wait for the fixers."""

import re

from healing.causes import ReadMessage, read_message
from healing.graph.names import closest_name
from healing.model import Category, CIError
from healing.view import TreeView

UNDEFINED = {"F821", "name-defined", "NameError", "no-undef", "E0425", "E0432", "E0433", "E0412"}
UNUSED = {"F401", "F841", "no-unused-vars", "@typescript-eslint/no-unused-vars", "TS6133", "TS6192", "unused_imports"}
SORTED_IMPORTS = {"I001", "import/order", "simple-import-sort/imports"}  # and all that isort reports
NOT_USED = re.compile(r"imported and not used|imported but not used|declared (?:but|and) not used")  # Go has no codes
NEGATED_TWICE = {"no-extra-boolean-cast", "SIM208", "clippy::nonminimal_bool"}


def deferred_to_fixers(errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
    """Errors that wait for the fixers. An unused import beside an undefined name is often one typo, and removing the
    import would be half of the wrong fix, so all errors of such files wait."""
    undefined = {e.file for e in errors if e.code in UNDEFINED or read_message(e).family == "undefined-name"}
    waiting = undefined & {e.file for e in errors if is_unused(e)}
    return tuple(e for e in errors if e.file in waiting)


def fixable_by_tools(errors: tuple[CIError, ...], view: TreeView) -> tuple[CIError, ...]:
    """The errors that linters may fix; `view` is the tree that has them. While tests are red, files with a double
    negation are left out: one `!` too many may have turned the tests red, and the linter's simplification would only
    hide the mistake. So would the removal of an unused name that is used, misspelt, in the same file. And sorters take
    a module of the repository that isn't found for another's package, and would move its import."""
    files = {e.file for e in errors if e.code in NEGATED_TWICE}
    red = any(e.category is Category.TEST for e in errors)
    misspelt = {(e.file, e.code) for e in errors if is_unused(e) and _is_used_misspelt(e, errors)}
    lost = _lost_modules(errors, view)
    return tuple(
        e
        for e in errors
        if (e.file, e.code) not in misspelt
        and not (red and e.file in files)
        and not (lost and _is_of_order(e) and any(name in (view.read(e.file or "") or b"") for name in lost))
    )


def _lost_modules(errors: tuple[CIError, ...], view: TreeView) -> frozenset[bytes]:
    """The last names of the repository's own modules that are not found, although the folder above them is there."""
    unfound = (read_message(error) for error in errors)
    parts = [re.split(r"[./]+", read.symbols[0].strip("./")) for read in unfound if _is_lost(read)]
    folders = {part for path in view.paths() for part in path.split("/")[:-1]} if parts else set()
    return frozenset(words[-1].encode() for words in parts if len(words) > 1 and words[-2] in folders)


def _is_used_misspelt(unused: CIError, errors: tuple[CIError, ...]) -> bool:
    """Whether a name that is undefined in the same file may be a misspelling of the unused one."""
    names = frozenset(re.split(r"\W+", symbol)[-1] for symbol in read_message(unused).symbols)
    reading = (read_message(error) for error in errors if error.file == unused.file)
    undefined = (name for read in reading if read.family == "undefined-name" for name in read.symbols[:1])
    return any(closest_name(name, names) for name in undefined)


def _is_lost(read: ReadMessage) -> bool:
    return read.family == "no-module" and bool(read.symbols)


def _is_of_order(error: CIError) -> bool:
    return error.code in SORTED_IMPORTS or error.tool == "isort"


def is_unused(error: CIError) -> bool:
    """Whether the error is about a name that nothing uses."""
    return error.code in UNUSED or bool(NOT_USED.search(error.message[:500]))
