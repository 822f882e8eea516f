"""Errors → root causes: the errors that one edit would cure are one (CL-1).

A message of a known family (an undefined name, a missing attribute…) is keyed by what it names, so that fifty
"undefined: X" of three tools in forty files are one cause. What has a stack is keyed by the deepest frame in the repo,
by function and not by line; everything else by its rule, its shape, what it names and its file.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from healing.graph import is_test
from healing.graph.syntax import Outline
from healing.model import Category, CIError, RootCause, content_id
from healing.view import TreeView

NAME = r"[\"'`‘’]?(?P<name>[A-Za-z_][\w.]*)[\"'`‘’]?"
FAMILIES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (family, re.compile(pattern))
    for family, pattern in (
        ("no-module", rf"No module named {NAME}"),
        ("no-module", rf"(?:library stub|stubs) (?:not installed )?for (?:module named )?{NAME}"),
        ("missing-member", rf"cannot import name {NAME} from [\"'](?P<owner>[\w.]+)"),
        ("missing-member", rf"cannot import name {NAME}"),
        (
            "missing-member",
            rf"[Mm]odule [\"'](?P<owner>[\w.]+)[\"'] (?:has no|does not explicitly export) attribute {NAME}",
        ),
        ("undefined-name", rf"[Nn]ame {NAME} is not defined"),
        ("undefined-name", rf"[Nn]ame {NAME} is used before"),
        ("undefined-name", rf"[Uu]ndefined (?:name|variable):? {NAME}"),
        ("undefined-name", rf"undefined: {NAME}"),
        ("undefined-name", rf"Cannot find name {NAME}"),
        ("undefined-name", rf"^{NAME} is not defined"),
        ("keyword", rf"(?P<owner>[\w.]+)\(\) got an unexpected keyword argument {NAME}"),
        ("keyword", rf"Unexpected keyword argument {NAME} for \"(?P<owner>[\w.]+)\""),
        ("missing-attribute", rf"[\"'`](?P<owner>[\w.\[\], |]+)[\"'`] (?:object )?has no attribute {NAME}"),
    )
)
QUOTED = re.compile(r"[\"'`‘]([^\"'`’\n]{1,200})[\"'`’]")
IDENTIFIER = re.compile(r"[A-Za-z_][\w.:]*\Z")
MESSAGE_LIMIT = 4000  # of a message; what a stranger made longer is cut before any pattern sees it
IN_PACKAGES = ("site-packages/", "dist-packages/", "lib/python", "<")
STACKED = {Category.TEST, Category.RUNTIME, Category.IMPORT}


@dataclass(frozen=True)
class Reading:
    """What a message says. `symbols`: the identifiers in it, the one at fault first."""

    family: str
    symbols: tuple[str, ...]
    shape: str


def read_message(error: CIError) -> Reading:
    """The family of an error's message, what it names, and its shape: paths, numbers and quotes normalised."""
    message = error.message[:MESSAGE_LIMIT]
    for family, pattern in FAMILIES:
        found = pattern.search(message)
        if found:
            named = found.groupdict()
            symbols = tuple(s.strip(".") for s in (named["name"], named.get("owner")) if s and s.strip("."))
            return Reading(family, symbols, f"{family}: {symbols[0]}" if symbols else family)
    shape = shape_of(message)
    return Reading("", tuple(dict.fromkeys(s for s in QUOTED.findall(message) if IDENTIFIER.match(s)))[:6], shape)


def shape_of(message: str) -> str:
    """The first line of a message without what changes from run to run and from place to place."""
    line = next((line.strip() for line in message.splitlines() if line.strip()), "")[:400]
    line = QUOTED.sub("'…'", line)
    line = re.sub(r"0x[0-9a-fA-F]+", "0x…", line)
    line = re.sub(r"(?:[A-Za-z]:)?(?:[\w.-]*[/\\])+[\w.-]+", "‹path›", line)
    line = re.sub(r"\d+(?:\.\d+)?", "0", line)
    return re.sub(r"\s+", " ", line)[:200]


def find_causes(errors: Sequence[CIError], view: TreeView | None = None) -> tuple[RootCause, ...]:
    """Every error in exactly one root cause, in the order of their first error's place.

    With a view, frames are known to be of the repo and functions are known by name; without, both are guessed.
    """
    places = Places(view)
    groups: dict[str, list[tuple[CIError, Reading]]] = {}
    for error in sorted({error.id: error for error in sorted(errors, key=_whole)}.values(), key=order):
        reading = read_message(error)
        groups.setdefault(content_id("cause", *_key(error, reading, places)), []).append((error, reading))
    return tuple(_cause(fingerprint, group, places) for fingerprint, group in groups.items())


def order(error: CIError) -> tuple[str, int, int, str, str, str]:
    """Sorting key of errors: by place, then by who said it."""
    return (error.file or "", error.line or 0, error.column or 0, error.tool, error.code or "", error.id)


def _whole(error: CIError) -> str:
    return error.model_dump_json()


def _key(error: CIError, reading: Reading, places: "Places") -> tuple[str, ...]:
    file = places.file(error)
    if error.category in (Category.SYNTAX, Category.INDENTATION):
        return ("syntax", file)
    if reading.family == "missing-attribute" and reading.symbols[-1:] == ("NoneType",):
        return ("none", reading.symbols[0], *places.anchor(error))
    if reading.family:
        # The attribute's owner is left out: one rename breaks every class that inherits it.
        return (reading.family, reading.symbols[0] if reading.symbols else "")
    if error.category in STACKED:
        return ("frame", _exception(error), *places.anchor(error))
    if error.category in (Category.LINT, Category.FORMAT):
        return (error.category, error.code or reading.shape, *reading.symbols, file)
    return (error.category, error.code or "", reading.shape, *reading.symbols, *places.anchor(error))


def _exception(error: CIError) -> str:
    """`TypeError` of `TypeError: …`; else the code."""
    found = re.match(r"([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Iteration))\b", error.message)
    return found.group(1) if found else error.code or ""


def _cause(fingerprint: str, group: list[tuple[CIError, Reading]], places: "Places") -> RootCause:
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


@dataclass
class Places:
    """Where in the repo an error is: its deepest frame there, and the function around it."""

    view: TreeView | None
    _known: frozenset[str] | None = field(default=None, init=False)
    _outlines: dict[str, Outline] = field(default_factory=dict, init=False)

    def ours(self, file: str | None) -> bool:
        """Whether `file` is of the repo."""
        if not file:
            return False
        if self.view is not None:
            if self._known is None:
                self._known = frozenset(self.view.paths())
            return file in self._known
        return not file.startswith(("/", "\\")) and ":" not in file and not any(p in file for p in IN_PACKAGES)

    def frames(self, error: CIError) -> list[tuple[str, int]]:
        """(file, line) of the error in the repo, the deepest first, each once."""
        stack = [(r.file, r.line or 0) for r in error.related if r.file and self.ours(r.file)][::-1]
        own = [(error.file, error.line or 0)] if error.file and self.ours(error.file) else []
        # An error's own file that is also a frame may be the test that called; one that is no frame is the crash.
        ordered = stack + own if own and own[0][0] in {file for file, _ in stack} else own + stack
        return list(dict.fromkeys(ordered))

    def file(self, error: CIError) -> str:
        """The file of the deepest frame; the file that was named where none is of the repo."""
        frames = self.frames(error)
        return frames[0][0] if frames else error.file or ""

    def anchor(self, error: CIError) -> tuple[str, str]:
        """(file, function): a place that a shift of lines doesn't move."""
        frames = self.frames(error)
        if not frames:
            return (error.file or "", (error.test or "").partition("[")[0])
        file, line = frames[0]
        # A test's own name counts only in its file: one crash while a module loads is the same for all its tests.
        test = (error.test or "").partition("[")[0]
        own = is_test(file) or test.startswith(f"{file}::")
        return (file, self._function(file, line) or (test if own else ""))

    def _function(self, file: str, line: int) -> str:
        if self.view is None or not line or not file.endswith((".py", ".pyi")):
            return ""
        if file not in self._outlines:
            self._outlines[file] = Outline(self.view.read(file) or b"")
        return self._outlines[file].around(line)


def of_cause(cause: RootCause, errors: Iterable[CIError]) -> tuple[CIError, ...]:
    """The errors of one cause, in order."""
    ids = set(cause.error_ids)
    return tuple(sorted((error for error in errors if error.id in ids), key=order))
