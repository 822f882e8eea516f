"""A tool call as text for people: its arguments by name, edits as unified diffs."""

import json
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

CONTEXT = 3  # unchanged lines around changed ones


def call_text(asked: str) -> str:
    """The JSON arguments of a call as lines. Arguments that were truncated when stored are no JSON object any more and
    are returned as they are."""
    try:
        arguments = json.loads(asked)
    except ValueError:
        return asked
    return "\n".join(_lines(arguments)) if isinstance(arguments, dict) else asked


def _lines(arguments: dict[str, Any]) -> Iterator[str]:
    if _is_edit(arguments):
        yield from _diff(arguments)
        return
    edits = arguments.get("edits")
    for name, value in arguments.items():
        if name != "edits" or not edits:
            yield f"{name}: {_value(value)}"
    for edit in edits if isinstance(edits, list) else ():
        yield from _diff(edit) if isinstance(edit, dict) and _is_edit(edit) else [_value(edit)]


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value) or "(none)"
    return "(none)" if value == [] else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _is_edit(arguments: dict[str, Any]) -> bool:
    return all(isinstance(arguments.get(name), str) for name in ("file", "old_string", "new_string"))


def _diff(edit: dict[str, str]) -> Iterator[str]:
    old, new = edit["old_string"], edit["new_string"]
    if old == new:
        yield f"{edit['file']}: old_string and new_string are the same"
        return
    rows = unified_diff(
        old.splitlines(), new.splitlines(), edit["file"] if old else "/dev/null", edit["file"], n=CONTEXT, lineterm=""
    )
    # The place in the file is unknown: the numbers would be those of the replaced text.
    yield from (row for row in rows if not row.startswith("@@"))
