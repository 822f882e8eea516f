"""The last resort for edits that do not parse: fixes formatting mistakes that models make, without a model."""

import re
from collections.abc import Callable, Iterator
from textwrap import dedent, indent

from healing.edits.exact import EditError, apply_edits
from healing.model import Edit
from healing.verify.syntax import problem

_FENCE = re.compile(r"\A\s*```[\w+-]*\n(.*?)\n?```\s*\Z", re.S)
_LEADING = re.compile(r"[ \t]*")


def repaired(edit: Edit, before: bytes | None) -> Edit | None:
    """The edit with its new text in a form with which the file parses; None where there is none."""
    for text in _forms(edit):
        tried = edit.model_copy(update={"new_string": text})
        try:
            after = apply_edits([tried], {edit.file: before}.get)[edit.file]
        except EditError:
            continue
        if after is not None and not problem(edit.file, after):
            return tried
    return None


def _forms(edit: Edit) -> Iterator[str]:
    """Yields the new text in other forms, the most similar first."""
    line_end = "\n" * edit.old_string.endswith("\n")
    for bare in (edit.new_string, _unfenced(edit.new_string).rstrip("\n") + line_end):
        for form in _FORMS:
            yield form(bare, edit.old_string)


def _unfenced(text: str) -> str:
    fence = _FENCE.match(text)
    return fence[1] if fence else text


def _unchanged(new: str, _: str) -> str:
    return new


def _without_tabs(new: str, _: str) -> str:
    return new.expandtabs(4)


def _indented_alike(new: str, old: str) -> str:
    """The text indented so that the block begins where the old one began."""
    lead = _LEADING.match(next((line for line in old.splitlines() if line.strip()), ""))
    return indent(dedent(new.expandtabs(4)), lead[0] if lead else "")


def _first_line_alike(new: str, _: str) -> str:
    """The text with its first line indented like the second: the old text began in the middle of a line."""
    first, line_end, rest = new.partition("\n")
    lead = _LEADING.match(rest)
    return (lead[0] if lead else "") + first.lstrip() + line_end + rest


_FORMS: tuple[Callable[[str, str], str], ...] = (_unchanged, _without_tabs, _first_line_alike, _indented_alike)
