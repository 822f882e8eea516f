"""Findings of any tool, known or unknown: nodes with a message and a place, completed from the nodes above them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from healing.logs.documents.dialects import UNKNOWN, Dialect
from healing.logs.documents.fields import code, fix, label, message, passed, severity
from healing.logs.documents.node import Node, Value, children, nodes, text, vocabulary, word
from healing.logs.documents.places import FILES, INSIDE, MAYBE_FILES, Place, place
from healing.logs.format import Finding
from healing.model import Related, Severity

# Lists of findings; a node in one needs fewer fields to count as a finding.
_WRONG = vocabulary(
    "issues issue errors error warnings warning violations violation findings finding offenses offences messages "
    "diagnostics generaldiagnostics problems problem results result vulnerabilities vulnerability vulns matches "
    "alerts defects defect bugs bug buginstance failures failedchecks failurelist warninglist annotations "
    "testresults notes misconfigurations secrets leaks comments smells duplication hints advisories suggestions "
    "entries fields ruleresult"
)
# Fields that have no findings below them.
_ASIDE = vocabulary(
    "passedchecks skippedchecks passed skipped passes pending ignored ignorelist ignoredwarnings suppressed "
    "suppressions metadata meta config configuration settings options stats statistics summary metrics coverage "
    "timings environment properties invocations tool scaninfo versions dependencies devdependencies scripts "
    "schema obsolete osv suppressedmessages suppressederrors modifications messagesuppressed usedefault rulesmetadata "
    "taxa relatedlocations codeflows"
)
_FILE_KEY = re.compile(
    r"[^\s:*?\"<>|]{0,300}(?:[/\\][^/\\\s:*?\"<>|]{1,200}|[^/\\\s:.*?\"<>|]\.[A-Za-z][\w]{0,9})$|[A-Za-z]:[\\/][^\n]{1,300}$"
)
_HOLDERS = {*FILES, *MAYBE_FILES, "component", "name"}  # fields that may name the file of the nodes below
MAX_RELATED = 20


@dataclass(frozen=True, slots=True)
class _Above:
    """What the nodes above have reported."""

    place: Place = field(default_factory=Place)
    message: str = ""
    code: str | None = None
    severity: Severity | None = None
    wrong: bool = False


def read(root: Value, dialect: Dialect) -> Iterator[Finding]:
    """The findings of a document, in its order."""
    start = _Above(place=Place(file=dialect.file))
    for node in nodes(root):
        yield from _walk(node, "", start, dialect)


def _walk(node: Node, key: str, above: _Above, dialect: Dialect) -> Iterator[Finding]:
    if passed(node):
        return
    here = _here(node, word(key or node.tag), above, dialect)
    if finding := _finding(node, here, above, dialect):
        if node.whole:
            yield finding
        return
    if not node.whole and here.place.line:
        return  # a finding that ends before it is complete
    below = _below(here, above)
    for name, child in children(node):
        if word(name) in _ASIDE:
            continue
        inherited = below
        if not node.tag and _FILE_KEY.match(name):
            inherited = replace(below, place=Place(file=name))
        yield from _walk(child, name, inherited, dialect)


def _here(node: Node, listed: str, above: _Above, dialect: Dialect) -> _Above:
    """What the node itself reports; for one that can't be a finding only what its children may need."""
    words = message(node, dialect.message)
    loud = severity(node, dialect.numbers) or (Severity.WARNING if listed.startswith("warning") else None)
    if not words and not above.message and node.words.keys().isdisjoint(_HOLDERS):
        return _Above(severity=loud, wrong=listed in _WRONG)
    return _Above(
        place(node, zero=dialect.zero),
        words,
        code(node) or (None if above.code else label(node)),
        loud,
        listed in _WRONG,
    )


def _below(here: _Above, above: _Above) -> _Above:
    """The context for the nodes below this one."""
    complete = bool(here.message and (here.code or here.severity))
    return _Above(
        place=Place(file=here.place.file or above.place.file),
        message=here.message if complete else above.message,
        code=here.code if complete else above.code,
        severity=here.severity or above.severity,
        wrong=here.wrong or above.wrong,
    )


def _finding(node: Node, here: _Above, above: _Above, dialect: Dialect) -> Finding | None:
    spot = here.place.over(above.place)
    words = here.message or (above.message if here.place.line and above.message else "")
    if not words or not _believable(here, above, spot, known=dialect is not UNKNOWN):
        return None
    return Finding(
        tool=dialect.tool,
        category=dialect.category,
        message=words.removeprefix(f"{here.code}: "),
        log_line=node.line,
        file=spot.file,
        line=spot.line,
        column=spot.column,
        end_line=spot.end_line,
        end_column=spot.end_column,
        code=_coded(here.code or above.code, dialect),
        severity=here.severity or above.severity or dialect.severity,
        related=tuple(_related(node, spot)),
        expected=text(node.words.get("expectedvalue")) or None,
        actual=text(node.words.get("actualvalue")) or None,
        suggestion=fix(node),
        excerpt=words,
    )


def _coded(code: str | None, dialect: Dialect) -> str | None:
    if code and dialect.tool == "checkstyle" and code.startswith("com.puppycrawl."):
        return code.rpartition(".")[2].removesuffix("Check")  # as Checkstyle prints it elsewhere
    return f"{dialect.prefix}{code}" if code and code.isdigit() else code


def _believable(here: _Above, above: _Above, spot: Place, *, known: bool) -> bool:
    """Whether the node is a finding, and not an index or a summary."""
    listed = here.wrong or above.wrong
    loud = here.severity or above.severity
    if here.place.line and spot.file:
        return bool(known or listed or loud or here.code or above.code or here.place.column)
    if here.place.line:
        return bool((loud or here.code) and (here.place.column or listed or loud))
    if loud is Severity.NOTE:
        return False
    if known and listed and here.code:
        return True
    return bool(spot.file and (here.severity or (listed and (here.code or here.place.file))))


def _related(node: Node, spot: Place) -> Iterator[Related]:
    """Further places that the node names."""
    seen = {(spot.file, spot.line)}
    for key, child in list(children(node))[:200]:
        if word(key) not in INSIDE and "relat" not in key.lower():
            continue
        other = place(child)
        if other.line and other.file and (other.file, other.line) not in seen and len(seen) <= MAX_RELATED:
            seen.add((other.file, other.line))
            yield Related(
                file=other.file, line=other.line, column=other.column, message=text(child.words.get("message"))
            )
