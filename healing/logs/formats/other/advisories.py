"""Known vulnerabilities of packages, as text: cargo audit, npm audit, and the tables of yarn, pnpm and pip-audit.

JSON reports are read by `healing/logs/documents/advisories.py`. A package has no place in the code; the file is the
lock file, if the tool reads only one.
"""

import re
from collections.abc import Iterable

from healing.logs.format import Finding
from healing.logs.lines import Line
from healing.logs.row_blocks import RowBlock, block_format
from healing.model import Category, Severity

_CARGO = re.compile(r"(?P<key>[A-Z][a-z]{1,20}|ID|URL):\s{1,12}(?P<value>\S.{0,400})$")
_NPM_PACKAGE = re.compile(r"(?P<package>@?[\w./-]{1,214})  (?P<version>\S.{0,200})$")
_NPM_TITLE = re.compile(r"(?P<title>\S.{0,400}) - https?://\S{1,300}/(?P<id>[\w-]{4,60})$")
_NPM_FIX = re.compile(r"(?:[Ff]ix available via |No fix available|Will install ).{0,200}$")
_ROW = re.compile(r"│ (?P<key>\S.{0,40}?)\s{1,40}│ (?P<value>\S.{0,400}?)\s{0,200}│\s{0,9}$")
_LEVEL = re.compile(r"│ (?:critical|high|moderate|low|info)\s{1,40}│ \S")
_LINK = re.compile(r"https?://\S{1,300}/(?P<id>[\w-]{3,60})$")
_PIP = re.compile(
    r"(?P<package>[A-Za-z0-9][\w.-]{0,213}) {1,200}(?P<version>\d\S{0,80}) {1,60}"
    r"(?P<id>(?:PYSEC|GHSA|CVE|OSV)-[\w-]{4,40})(?: {1,60}(?P<fix>\d[\w.,!+]{0,200}))?(?: |$)"
)


def _finding(
    tool: str,
    lines: list[Line],
    package: str,
    code: str,
    title: str = "",
    fix: str = "",
    level: str = "",
    file: str = "",
) -> Finding:
    return Finding(
        tool=tool,
        category=Category.SECURITY,
        severity=Severity.WARNING if level in ("low", "info", "warning") else Severity.ERROR,
        message=f"{package}: {title or 'has a known weakness'}",
        code=code or None,
        file=file or None,
        suggestion=fix or None,
        log_line=lines[0].number,
        span=(lines[0].number, lines[-1].number),
        excerpt="\n".join(line.text for line in lines[:12]),
    )


def _cargo(lines: list[Line]) -> Iterable[Finding]:
    fields = {match["key"]: match["value"] for line in lines if (match := _CARGO.match(line.text))}
    if fields.keys() >= {"Crate", "ID"}:
        package = f"{fields['Crate']} {fields.get('Version', '')}".strip()
        level = "warning" if "Warning" in fields else ""
        fix = fields.get("Solution", "")
        yield _finding("cargo-audit", lines, package, fields["ID"], fields.get("Title", ""), fix, level, "Cargo.lock")


def _npm(lines: list[Line]) -> Iterable[Finding]:
    """The entries of a report: blocks between empty lines."""
    entry: list[Line] = []
    for line in lines[1:]:
        if line.text.strip():
            entry.append(line)
        elif entry:
            yield from _npm_entry(entry)
            entry = []
    if entry:
        yield from _npm_entry(entry)


def _npm_entry(lines: list[Line]) -> Iterable[Finding]:
    head = _NPM_PACKAGE.match(lines[0].text)
    titles = [match for line in lines if (match := _NPM_TITLE.match(line.text))]
    if head and titles:
        level = next((line.text.partition(": ")[2] for line in lines if line.text.startswith("Severity: ")), "low")
        fix = ". ".join(match[0] for line in lines if (match := _NPM_FIX.match(line.text)))
        package = f"{head['package']} {head['version']}"
        title = "; ".join(match["title"] for match in titles)
        yield _finding("npm-audit", lines, package, titles[0]["id"], title, fix, level.strip(), "package-lock.json")


def _table(lines: list[Line]) -> Iterable[Finding]:
    """The finding in a table of yarn or pnpm: severity and title are in the first row, other fields in the rest."""
    rows = [(match["key"], match["value"]) for line in lines if (match := _ROW.match(line.text))]
    more = dict(rows[1:])
    if rows and "Package" in more:
        link = _LINK.search(more.get("More info", ""))
        version = more.get("Vulnerable versions", "")
        fixed = more.get("Patched in") or more.get("Patched versions") or ""
        yield _finding(
            "audit",
            lines,
            f"{more['Package']} {version}".strip(),
            link["id"] if link else "",
            rows[0][1],
            f"fixed in {fixed}" if fixed and "No patch" not in fixed else "",
            rows[0][0],
        )


def _pip(lines: list[Line]) -> Iterable[Finding]:
    for line in lines:
        if match := _PIP.match(line.text):
            fix = f"fixed in {match['fix']}" if match["fix"] else ""
            yield _finding("pip-audit", [line], f"{match['package']} {match['version']}", match["id"], "", fix)


FORMAT = block_format(
    "advisories",
    (
        "Crate:",
        "RUSTSEC-",
        "# npm audit report",
        "│ critical",
        "│ high",
        "│ moderate",
        "│ low",
        "│ info",
        "Fix Versions",
    ),
    RowBlock(
        begins=re.compile(r"(?:Crate:\s{1,12}\S|ID:\s{1,12}RUSTSEC-)"),
        ends=re.compile(r"\s{0,9}$|Dependency tree:|(?:error|warning): "),
        build=_cargo,
        most=14,
    ),
    RowBlock(
        begins=re.compile(r"# npm audit report\s{0,9}$"),
        ends=re.compile(r"\d{1,6} (?:\w{1,12} severity )?vulnerabilit(?:y|ies)\b|##\["),
        build=_npm,
        most=3_000,
    ),
    RowBlock(begins=_LEVEL, ends=re.compile(r"└|┌|[^│├┌└\s]"), build=_table),
    RowBlock(
        begins=re.compile(r"Name {1,200}Version {1,60}ID {1,60}Fix Versions\b"),
        ends=re.compile(r"\s{0,9}$|Name "),
        build=_pip,
        most=1_000,
    ),
)
