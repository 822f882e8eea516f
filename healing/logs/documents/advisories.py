"""Known vulnerabilities of dependencies, from the audit reports of package managers and image scanners."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from healing.logs.documents.fields import fix, passed, severity
from healing.logs.documents.node import Node, Value, children, nodes, ranked, roles, text
from healing.logs.documents.places import place
from healing.logs.format import Finding
from healing.model import Category, Severity

_ID = re.compile(
    r"(?:CVE|RUSTSEC|PYSEC|OSV|GO|GSD|ALAS2?|ALSA|ELSA|RHSA|RLSA|DSA|DLA|USN|TEMP|PKSA|MAL|GMS)-\d[\w:.-]{3,40}"
    r"|GHSA(?:-\w{4}){3}|SNYK-[\w.:-]{5,100}|npm:[\w.-]{1,60}:\d{8}|pyup\.io-\d{1,8}"
)
_IDS = roles(
    "vuln", "vulnerabilityid", "vulnid", "advisoryid", "osv", "cveid", "cve", "cves", "ghsaid", "githubadvisoryid",
    "id", "name", "vulnerabilityname", "aliases",
)  # fmt: skip
_PACKAGES = roles(
    "packagename",
    "pkgname",
    "modulename",
    "module",
    "package",
    "dependency",
    "product",
    "library",
    "gem",
    "crate",
    "purl",
)
_VERSIONS = roles(
    "packageversion",
    "installedversion",
    "pkgversion",
    "version",
    "analyzedversion",
    "vulnerableversions",
    "range",
)
_FIXES = roles(
    "fixedversion",
    "fixversion",
    "fixversions",
    "patchedversions",
    "fix",
    "fixedin",
    "patched",
    "firstpatchedversion",
)
_TEXTS = roles("title", "summary", "cwename", "description", "overview", "advisory", "details", "shortdescription")
_HOLDERS = ("trace", "artifact", "component", "resource", "package", "dependency", "gem", "module", "pkg")
_ADVISORIES = ("advisory", "vulnerability", "finding", "securityadvisory")
_BELOW = (
    "osv",
    "relatedvulnerabilities",
    "aliases",
    "references",
    "nvddata",
    "cvss",
    "metadata",
    "sbom",
    "matchdetails",
)
_SEVERITIES = roles("aquaseverity", "severity", "nvdseverity", "basescore")


@dataclass(frozen=True, slots=True)
class _Above:
    package: str = ""
    version: str = ""
    file: str | None = None


def read(root: Value, tool: str) -> list[Finding]:
    """A finding for every vulnerability, with its package; empty if the document has none."""
    return [finding for node in nodes(root) for finding in _walk(node, _Above(), tool)]


def _walk(node: Node, above: _Above, tool: str) -> Iterator[Finding]:
    if passed(node):
        return
    here = _package(node, above)
    advisory = next((node.words[k] for k in _ADVISORIES if isinstance(node.words.get(k), Node)), node)
    known = _known(advisory)
    if known and _has_details(advisory, node):
        if node.whole:
            yield _finding(node, advisory, known, here, tool)
        return
    for key, child in children(node):
        if key.lower().replace("_", "") not in _BELOW:
            yield from _walk(child, here, tool)


def _known(node: Node) -> str:
    """The vulnerability's id; "" if the node is none. Without an id of a known kind, a title and the vulnerable
    versions (or a similar field) suffice."""
    words = node.words
    for name in ranked(words, _IDS):
        value = words.get(name)
        for value_text in value if isinstance(value, list) else (value,):
            if isinstance(value_text, str) and _ID.fullmatch(value_text.strip()):
                return value_text.strip()
    if linked := _ID.search(text(words.get("url")) + " " + text(words.get("primaryurl"))):
        return linked[0]
    named = {"vulnerableversions", "patchedversions", "range", "vulnid", "affectedversions", "firstpatchedversion"}
    if text(words.get("title")) and not named.isdisjoint(words):
        return text(words.get("vulnid")) or str(words.get("id") or words.get("source") or "advisory")
    return ""


def _has_details(advisory: Node, entry: Node) -> bool:
    """Whether there is more than an id: a mere index of ids is not a report."""
    wanted = {*_TEXTS, *_SEVERITIES, *_PACKAGES, *_FIXES, "scorev3", "trace", "link", "url"}
    return not wanted.isdisjoint(advisory.words) or not wanted.isdisjoint(entry.words)


def _package(node: Node, above: _Above) -> _Above:
    words = node.words
    holder = next((held for k in _HOLDERS for held in nodes(words.get(k))), None)
    inside = holder.words if holder is not None else {}
    package = (
        next((value_text for k in ranked(words, _PACKAGES) if (value_text := text(words.get(k)))), "")
        or text(inside.get("name"))
        or text(inside.get("module"))
    )
    if not package and ("version" in words or "versions" in words) and not _ID.match(text(words.get("name"))):
        package = text(words.get("name"))
    version = next((value_text for k in ranked(words, _VERSIONS) if (value_text := text(words.get(k)))), "") or text(
        inside.get("version")
    )
    file = place(node).file or (place(holder).file if holder is not None else None)
    if not file and "target" in words:
        file = text(words.get("target")) or None
    return replace(
        above,
        package=package or above.package,
        version=(version if package else "") or above.version,
        file=file or above.file,
    )


def _finding(node: Node, advisory: Node, known: str, here: _Above, tool: str) -> Finding:
    here = _package(advisory, here) if not here.package else here
    subject = " ".join(filter(None, (here.package, here.version)))
    value_text = next(
        (value_text for n in (advisory, node) for k in ranked(n.words, _TEXTS) if (value_text := text(n.words.get(k)))),
        "",
    )
    message = ": ".join(filter(None, (known, subject, value_text)))
    spot = place(node)
    return Finding(
        tool=tool,
        category=Category.SECURITY,
        message=message,
        log_line=node.line,
        file=here.file,
        line=spot.line if spot.file == here.file else None,
        code=known,
        severity=severity(advisory) or severity(node) or Severity.ERROR,
        suggestion=fix(advisory) or fix(node) or _fixed(advisory, node),
        excerpt=message,
    )


def _fixed(*where: Node) -> str | None:
    for node in where:
        for name in ranked(node.words, _FIXES):
            value = node.words.get(name)
            if isinstance(value, Node):
                value = value.words.get("versions")
            if (value_text := text(value)) and value_text.lower() not in ("none", "null"):
                return f"fixed in {value_text}"
    return None
