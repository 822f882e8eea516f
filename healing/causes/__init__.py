"""Groups errors into root causes: errors that one edit would fix are one cause.

A message of a known family (an undefined name, a missing attribute…) is keyed by the name in it, so that fifty
"undefined: X" of three tools in forty files are one cause. An error with a stack is keyed by the deepest frame in the
repo, by function and not by line; everything else by its rule, its shape, the names in it and its file.
"""

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from healing.causes.families import MESSAGE_LIMIT, match, reported_message
from healing.causes.places import Places
from healing.causes.shapes import QUOTED, is_stable_name, shape_of
from healing.model import Category, CIError, RootCause, content_id
from healing.view import TreeView

__all__ = ["Places", "ReadMessage", "find_causes", "is_layout", "of_cause", "order", "read_message", "shape_of"]

IDENTIFIER = re.compile(r"[A-Za-z_][\w.:]*\Z")
# pycodestyle's rules on spaces, blank lines and ends of lines: one run of a formatter repairs a file's.
LAYOUT_TOOLS, LAYOUT = ("flake8", "pycodestyle"), re.compile(r"E(?:2\d\d|30\d|703|71[34])|W(?:29[123]|391)")
STACKED = {Category.TEST, Category.RUNTIME, Category.IMPORT}


@dataclass(frozen=True)
class ReadMessage:
    """A parsed message. `symbols`: the identifiers in it, the one at fault first."""

    family: str
    symbols: tuple[str, ...]
    shape: str


def read_message(error: CIError) -> ReadMessage:
    """The family of an error's message, the names in it, and its shape: with paths, numbers and quotes normalised."""
    message = reported_message(error)
    family_match = match(message)
    if family_match:
        family, symbols = family_match
        return ReadMessage(family, symbols, f"{family}: {symbols[0]}" if symbols else family)
    names = (name for name in QUOTED.findall(message) if IDENTIFIER.match(name) and is_stable_name(name))
    return ReadMessage("", tuple(dict.fromkeys(names))[:6], shape_of(message))


def find_causes(errors: Sequence[CIError], view: TreeView | None = None) -> tuple[RootCause, ...]:
    """Puts every error into exactly one root cause; the causes are ordered by the place of their first error.

    With a view, it is known which frames are in the repo and which functions contain them; without one, the former is
    guessed from paths and the latter left out.
    """
    places = Places(view)
    groups: dict[str, list[tuple[CIError, ReadMessage]]] = {}
    for error in sorted({error.id: error for error in sorted(errors, key=_whole)}.values(), key=order):
        reading = read_message(error)
        groups.setdefault(content_id("cause", *_key(error, reading, places)), []).append((error, reading))
    return tuple(_cause(fingerprint, group, places) for fingerprint, group in groups.items())


def order(error: CIError) -> tuple[str, int, int, str, str, str]:
    """Sort key of errors: by place, then by tool."""
    return (error.file or "", error.line or 0, error.column or 0, error.tool, error.code or "", error.id)


def of_cause(cause: RootCause, errors: Iterable[CIError]) -> tuple[CIError, ...]:
    """The errors of one cause, in order."""
    ids = set(cause.error_ids)
    return tuple(sorted((error for error in errors if error.id in ids), key=order))


def is_layout(error: CIError) -> bool:
    """Whether the error is about the layout of Python code alone."""
    return error.tool in LAYOUT_TOOLS and bool(error.file and error.line and LAYOUT.fullmatch(error.code or ""))


def _whole(error: CIError) -> str:
    return error.model_dump_json()


def _key(error: CIError, reading: ReadMessage, places: Places) -> tuple[str, ...]:
    if is_layout(error):
        return ("layout", error.file or "")
    if error.category in (Category.SYNTAX, Category.INDENTATION):
        return ("syntax", places.key(error))
    if reading.family == "missing-attribute" and reading.symbols[-1:] == ("NoneType",):
        return ("none", reading.symbols[0], *places.anchor(error))
    if reading.family:
        # The attribute's owner is left out: one rename breaks every class that inherits it.
        return (reading.family, _named(reading, error))
    if error.category in STACKED:
        return ("frame", _exception(error), *places.anchor(error))
    if error.category in (Category.LINT, Category.FORMAT):
        return (error.category, error.code or reading.shape, *reading.symbols, places.key(error))
    return (error.category, error.code or "", reading.shape, *reading.symbols, *places.anchor(error))


def _named(reading: ReadMessage, error: CIError) -> str:
    """The missing name; a relative module as a path from the repo's root, because `./x` is another module in each
    folder."""
    name = reading.symbols[0] if reading.symbols else ""
    if reading.family == "no-module" and name.startswith("."):
        return posixpath.normpath(posixpath.join(posixpath.dirname(error.file or ""), name))
    return name


def _exception(error: CIError) -> str:
    """`TypeError` of `TypeError: …`; otherwise the code."""
    exception = re.match(r"([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Iteration))\b", error.message)
    return exception.group(1) if exception else error.code or ""


def _cause(fingerprint: str, group: list[tuple[CIError, ReadMessage]], places: Places) -> RootCause:
    first, reading = group[0]
    files = {file for error, _ in group for file in (error.file, places.file(error)) if file}
    return RootCause(
        fingerprint=fingerprint,
        shape=reading.shape,
        category=first.category,
        message=first.message[:MESSAGE_LIMIT],
        symbols=tuple(dict.fromkeys(symbol for _, read in group[:50] for symbol in read.symbols))[:12],
        error_ids=tuple(error.id for error, _ in group),
        files=tuple(sorted(files)),
    )
