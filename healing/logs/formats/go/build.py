"""`file.go:12:3: message`: the Go compiler, vet, and the linters that print this form.

golint, revive, staticcheck, errcheck, gosec, go-consistent and golangci-lint are distinguished by the end of the
message.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related

_ROW = re.compile(
    r"(?:vet: |Error: )?(?P<file>(?:[A-Za-z]:[\\/])?[\w.@+~/\\-]{1,300}?\.go):(?P<line>\d{1,9})(?::"
    r"(?P<column>\d{1,9}))?:"
    r"(?P<gap>[ \t]\s{0,8})(?P<message>\S.*)$"
)
_TABLE = re.compile(  # golangci-lint --out-format tab
    r"(?P<file>[\w.@+~/\\-]{1,300}?\.go):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?"
    r"\s{2,20}(?P<code>[a-z][a-z0-9]{2,30})\s{2,20}(?P<message>\S.*)$"
)
_HEADER = re.compile(r"# (?P<package>[\w./@~+-]{1,300})(?: \[(?P<of>[\w./@~+-]{1,300}?)(?:\.test)?\])?$")
_FAILED = re.compile(r"FAIL\s+(?P<package>\S{1,300})(?: \[\S{1,300}\])? (?P<words>\[(?:build|setup) failed\])$")
_NOTE = re.compile(r"\s+(?P<file>\S{1,300}\.go):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?: (?P<message>\S.*)$")
_CARET = re.compile(r"\s*\^\s*$")
_GOSEC = re.compile(r"\s?\(Rule:(?P<code>G\d{1,4}),.{0,80}\)$")
_STATIC = re.compile(r" \((?P<code>[A-Z]{1,3}\d{4})\)$")
_LINTER = re.compile(r" \((?P<code>[a-z][a-z0-9-]{1,30})\)$")
_CHECK = re.compile(r"(?P<code>[A-Z]{1,3}\d{4}|G\d{3}|[a-z][\w-]{2,30}): ")
_COMPILE = re.compile(
    r"undefined|cannot |imported and not used|.{0,200}(?:declared (?:and|but) not used| undefined |redeclared"
    r"|mismatched types|imported and not used|does not implement|requires go)|syntax error|missing return|invalid "
    r"|assignment mismatch|not enough|too many|unknown field|expected |illegal |no required module|package |duplicate "
    r"|missing |could not import|multiple-value|non-|label |method |unexpected |import cycle|use of |found packages "
)
_SYNTAX = re.compile(r"syntax error|expected |illegal |unexpected |string literal not terminated|missing ',' ")
_NO_ERROR = re.compile(
    r": # |\d{4}/\d\d/\d\d |(?:PASS|ok)\b|running (?!\x22)|(?:running \x22[^\x22]{1,80}\x22: )?warning: "
)
# `a.go:3:8: example.com/x@v1.0.0: Get "https://…": dial tcp: …`: the import is right, its module could not be fetched.
_NOT_FETCHED = re.compile(
    r"\S{1,200}@v[\w.+-]{1,80}: (?:Get \"https?://|git |reading https?://|module lookup disabled)"
)
_MORE, _HELD = 12, 3_000


class _Reader:
    """Holds errors below a `# package` header until `FAIL package [build failed]`, which reports that tests did not
    run."""

    def __init__(self, _paths: Paths) -> None:
        self._package = ""
        self._testing = False
        self._open: Finding | None = None
        self._left = 0
        self._held: dict[str, list[Finding]] = {}
        self._broken: dict[str, Finding] = {}

    @property
    def busy(self) -> bool:
        return bool(self._package) or self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if self._open is not None and self._joins(line):
            return ()
        done = self._finish()
        if match := _HEADER.match(text):
            self._package = match["of"] or match["package"]
            return done
        if match := _FAILED.match(text):
            self._package, self._testing = "", False
            if len(self._broken) < _HELD:
                self._broken[match["package"]] = _package(match, line)
            return done
        if text.startswith(("=== RUN", "ok  \t", "FAIL\t")):
            self._testing = text.startswith("=== RUN")
        elif ".go:" in text and (match := _ROW.match(text) or _TABLE.match(text)):
            self._start(match, line)
        elif text not in ("too many errors", ""):
            self._package = ""
        return done

    def close(self) -> Iterable[Finding]:
        """The last error, the held ones, and packages that were reported as broken without any error."""
        done = self._finish()
        held, broken = self._held, self._broken
        self._held, self._broken = {}, {}
        for package, findings in held.items():
            words = broken[package].message.removeprefix(package) if package in broken else ""
            done = (*done, *(replace(f, message=f"{f.message}{words}") for f in findings))
        return (*done, *(() if held else broken.values()))

    def _start(self, match: re.Match[str], line: Line) -> None:
        if _NO_ERROR.match(match["message"]) or (self._testing and not self._package):
            return
        self._open = _finding(match, line, bool(self._package))
        self._left = _MORE

    def _joins(self, line: Line) -> bool:
        """Whether the line belongs to the open error: the indented rest of its message, a note about another place, or
        the source with its caret. If so, adds it."""
        error, text = self._open, line.text
        self._left -= 1
        if error is None or not text.startswith((" ", "\t")) or self._left < 0:
            return False
        error = replace(error, excerpt=f"{error.excerpt}\n{text}", span=(error.log_line, line.number))
        if note := _NOTE.match(text):
            spot = Related(
                file=note["file"], line=int(note["line"]), column=number(note["column"]), message=note["message"]
            )
            error = replace(error, related=(*error.related, spot))
        elif text.startswith("\tgo "):
            message = error.message.removesuffix("; to add it:").removesuffix("; to add:")
            error = replace(error, message=message, suggestion=text.strip(), category=Category.DEPENDENCY)
        elif text.startswith("\thave ") or text.startswith("\twant "):
            value, is_got = text[6:].strip(), text.startswith("\thave")
            error = replace(
                error,
                message=f"{error.message}\n{text}",
                actual=value if is_got else error.actual,
                expected=error.expected if is_got else value,
            )
        self._open = error
        if _CARET.match(text):
            self._left = 0
        return True

    def _finish(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        if done is None:
            return ()
        if self._package and sum(map(len, self._held.values())) < _HELD:
            self._held.setdefault(self._package, []).append(done)
            return ()
        return (done,)


def _package(match: re.Match[str], line: Line) -> Finding:
    return Finding(
        tool="go",
        category=Category.COMPILE,
        message=f"{match['package']} {match['words']}",
        log_line=line.number,
        excerpt=line.text,
        score=0.3,
    )


def _finding(match: re.Match[str], line: Line, compiled: bool) -> Finding:
    groups = match.groupdict()
    tool, code, message = _parts_of(groups["message"], groups.get("gap") or " ")
    if groups.get("code"):
        tool, code = "golangci-lint", groups["code"]
    if line.text.startswith("vet: "):
        tool, compiled = "go vet", True
    return Finding(
        tool=tool,
        code=code,
        category=_category(tool, message, compiled),
        message=message,
        file=groups["file"],
        line=number(groups["line"]),
        column=number(groups["column"]),
        log_line=line.number,
        excerpt=line.text,
    )


def _parts_of(message: str, gap: str) -> tuple[str, str | None, str]:
    """(tool, code, message), by the end of the message."""
    for tool, pattern in (("gosec", _GOSEC), ("staticcheck", _STATIC), ("golangci-lint", _LINTER)):
        if match := pattern.search(message[-160:]):
            rest = message[: len(message) - len(match[0])]
            if tool == "golangci-lint" and (check := _CHECK.match(rest)) and check["code"][0].isupper():
                return tool, check["code"], rest[check.end() :]
            return tool, match["code"], rest
    if gap.startswith("\t"):
        return "errcheck", "errcheck", f"unchecked error: {message.strip()}"
    return "go", None, message


def _category(tool: str, message: str, compiled: bool) -> Category:
    if tool == "gosec":
        return Category.SECURITY
    if tool != "go" and not compiled:
        return Category.LINT
    if _NOT_FETCHED.match(message):
        return Category.INFRASTRUCTURE
    if _SYNTAX.match(message):
        return Category.SYNTAX
    return Category.COMPILE if compiled or _COMPILE.match(message) else Category.LINT


FORMAT = Format("go", (".go:", "\n# ", "=== RUN", "failed]", "FAIL\t", "ok  \t", "# "), _Reader)
