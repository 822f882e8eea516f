"""TypeScript's own code fixes, from the repo's own compiler by typescript.cjs in the sandbox."""

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.offsets import Offsets
from healing.repair.fixers.suggested.quick_fixes import program
from healing.repair.fixers.suggested.suggester import objects
from healing.repair.fixers.suggested.suggestion import LIKELY, SURE, UNSURE, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.node import JAVASCRIPT, bins_of
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView

CODE = re.compile(r"TS(\d{3,6})\Z")
TOOLS = ("tsc", "typescript", "vue-tsc", "jest", "webpack", "next")
NAMES, UNUSED = (2304, 2552, 2503, 2580), (6133, 6192, 6196, 6198)
RULES = {"no-undef": NAMES, "no-unused-vars": UNUSED, "@typescript-eslint/no-unused-vars": UNUSED}
# By TypeScript's names of fixes. Those left out invent values, stubs or types, or suppress the error.
SURENESS = {
    "import": SURE,
    "spelling": SURE,
    "forgottenThisPropertyAccess": SURE,
    "fixOverrideModifier": SURE,
    "convertToTypeOnlyImport": SURE,
    "convertToTypeOnlyExport": SURE,
    "classSuperMustPrecedeThisAccess": SURE,
    "constructorForDerivedNeedSuperCall": SURE,
    "extendsInterfaceBecomesImplements": SURE,
    "addMissingNewOperator": SURE,
    "addMissingConst": LIKELY,
    "addMissingAwait": SURE,
    "fixAwaitInSyncFunction": LIKELY,
    "addMissingAsync": LIKELY,
    "fixReturnTypeInAsyncFunction": LIKELY,
    "returnValueCorrect": LIKELY,
    "fixInvalidImportSyntax": LIKELY,
    "fixUnreachableCode": LIKELY,
    "fixUnusedLabel": LIKELY,
    "unusedIdentifier": LIKELY,
    "addMissingTypeof": LIKELY,
    "correctQualifiedNameToIndexedAccessType": LIKELY,
    "requireInTs": UNSURE,
    "addOptionalPropertyUndefined": UNSURE,
    "addMissingMember": UNSURE,
    "fixMissingMember": UNSURE,
    "inferFromUsage": UNSURE,
}
# `default:` of a `require` exists only for modules that a compiler has written.
INVENTED = re.compile(r"not implemented|\bany\b|@ts-(?:ignore|expect-error|nocheck)|\{ default: \w+ \} = require")
IMPORT = "Add import"


@dataclass(frozen=True)
class TypeScript:
    """A missing member is declared only as a last resort, and code with side effects is never removed. It also has
    fixes for ESLint's errors about names, in plain JavaScript as well."""

    name: str = "typescript"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.line and (e.file or "").endswith(JAVASCRIPT) and codes_of(e))

    def calls(self, files: tuple[str, ...], errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        by_folder: dict[str, list[dict[str, Any]]] = {}
        for error in errors:
            if error.file in files:
                folder = tool_config.package_of(error.file)
                name = posixpath.relpath(error.file, folder)
                asked = {"file": name, "line": error.line, "codes": codes_of(error)}
                by_folder.setdefault(folder, []).append(asked)
        return tuple(
            Call(("node", "-e", program("typescript.cjs"), "--", json.dumps(asked)), folder, bins=bins_of(folder))
            for folder, asked in sorted(by_folder.items())
        )

    def read(self, answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        suggestions = [suggestion for fix in objects(answer) if (suggestion := _suggestion(fix, view))]
        linted = {(e.file, e.line) for e in errors if e.tool == "eslint"}
        imports = Counter((s.file, s.line) for s in suggestions if s.title.startswith(IMPORT))
        for suggestion in suggestions:
            place = (suggestion.file, suggestion.line)
            # A linter accepts any import of the name, so no check would show that it is the wrong one.
            if not (place in linted and imports[place] > 1 and suggestion.title.startswith(IMPORT)):
                yield suggestion


def _suggestion(fix: Any, view: TreeView) -> Suggestion | None:
    """One code fix; None where it is not in SURENESS, doesn't fit, or is malformed."""
    try:
        sure = SURENESS.get(fix["fix"], 0)
        changes = {file: _spans(edits, view, file) for file, edits in fix["changes"].items()} if sure else {}
        if not changes or not all(changes.values()) or _doubtful(fix["fix"], changes, view):
            return None
        codes = (f"TS{fix['code']}", *(rule for rule in RULES if fix["code"] in RULES[rule]))
        return Suggestion(fix["file"], int(fix["line"]), str(fix["title"])[:200], changes, sure, codes)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def codes_of(error: CIError) -> tuple[int, ...]:
    """TypeScript's codes for an error; empty for errors that it has no fix for."""
    code_match = CODE.match(error.code or "")
    if code_match and error.tool in TOOLS:
        return (int(code_match.group(1)),)
    return RULES.get(error.code or "", ()) if error.tool == "eslint" else ()


def _spans(edits: list[list[Any]], view: TreeView, file: str) -> tuple[EditSpan, ...]:
    offsets = Offsets(view.read(file) or b"")
    spans: list[EditSpan] = []
    for start, length, text in edits:
        first, last = offsets.of_units(int(start)), offsets.of_units(int(start) + int(length))
        if first is None or last is None:
            return ()
        spans.append(EditSpan(first, last, str(text).encode()))
    return tuple(spans)


def _doubtful(fix: str, changes: dict[str, tuple[EditSpan, ...]], view: TreeView) -> bool:
    """Whether it writes invented code, or removes a call, which may have side effects though its result is unused."""
    for file, spans in changes.items():
        old = view.read(file) or b""
        if any(INVENTED.search(span.new.decode()) for span in spans):
            return True
        if fix == "unusedIdentifier" and any(b"(" in old[span.start : span.end] for span in spans):
            return True
    return False
