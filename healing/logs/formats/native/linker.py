"""ld, gold, lld, Apple's ld and collect2: undefined and duplicate symbols, and libraries that can't be found."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_LD = (
    r"(?:\S{0,300}/)?(?P<ld>(?:[\w-]{1,40}-)?(?:ld(?:\.lld|\.gold|\.bfd|64\.lld)?|lld(?:-link)?|wasm-ld|gold"
    r"|mold)(?:-\d{1,3})?(?:\.exe)?)"
)
_MESSAGE = re.compile(rf"\s{{0,12}}{_LD}:\s(?:(?P<level>error|warning|note|fatal error|fatal): )?(?P<message>\S.*)$")
_OBJECT = re.compile(
    r"\s{0,12}(?:(?:\S{0,300}/)?(?:[\w-]{1,40}-)?ld(?:\.\w{1,5})?(?:\.exe)?: )?(?P<file>"
    r"(?:[A-Za-z]:[\\/])?[^\s:\"][^:\"]{0,400}?)"
    r":(?:(?P<line>\d{1,9}):|(?:(?P<source>[^\s:]{1,300}):(?:(?P<row>\d{1,9}):)?)?\([^)\s]{1,200}\):)?\s(?:error: "
    r"|first |more )?"
    r"(?P<message>(?:undefined reference to|multiple definition of|relocation (?:truncated|R_)|undefined symbol"
    r"|dangerous relocation"
    r"|unresolvable |definition of |duplicate symbol|in function).*)$"
)
_GOLD = re.compile(
    r"(?P<object>[^\s:]{1,300}):(?P<file>[^\s:]{1,300})(?::(?P<line>\d{1,9}))?:function \S.{0,300}: error: "
    r"(?P<message>undefined reference.*)$"
)
_TEMPORARY = re.compile(r"(?:\S{0,100}[\\/])?cc\w{6}\.o: ")
_ALSO = re.compile(
    r"; (?:\S{0,300}: )?(?:\S{1,300}:)?(?P<file>[^\s:]{1,300}?):(?:(?P<line>\d{1,9})"
    r"|\([^)]{1,80}\)): first defined here$"
)
_APPLE = re.compile(r'\s{2}"(?P<symbol>[^"]{1,400})", referenced from:$')
_APPLE_FROM = re.compile(r"\s{6}(?P<who>\S.{0,300}) in (?P<object>\S{1,300})$")
_DUPLICATE = re.compile(r"duplicate symbol '?(?P<symbol>[^']{1,300})'? in:$")
_MORE = re.compile(r">>> (?P<message>\S.*)$")
_MORE_SPOT = re.compile(r">>> (?:referenced by|defined (?:at|in)) (?P<file>[^\s:()]{1,300}\.\w{1,5}):(?P<line>\d{1,9})")
_WRONG = re.compile(
    r"cannot find|\d{4}-\d{3} (?:ERROR|SEVERE|FATAL|Error|WARNING)|undefined |unable to find|library not found"
    r"|symbol\(s\) not found|framework not found"
    r"|could not read|cannot open"
    r"|error|final link failed|unrecognised|unrecognized|unknown |.{0,200}(?:file not recognized|No such file"
    r"|mismatches|incompatible"
    r"|multiple definition|undefined reference|undefined symbol|overflow|not found|wrong ELF|version node|DSO missing"
    r"|hidden symbol"
    r"|duplicate symbol|relocation|invalid|corrupt|errors? )"
)
_CONSEQUENCE = re.compile(
    r"symbol\(s\) not found|too many errors|.{0,300}previous definition here"
    r"|(?!multiple definition).{0,300}(?:in function [`']|skipping incompatible|final link failed"
    r"|defined here)|final link"
)
_NOTES = 10


class _Reader:
    """Reads single lines; lld's `>>>` lines and Apple's indented ones belong to the error above them."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if self._open is not None and self._joins(self._open, line):
            return ()
        done = self.close()
        self._open = _one_line(line)
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done else ()

    def _joins(self, error: Finding, line: Line) -> bool:
        more = _MORE.match(line.text) or _APPLE_FROM.match(line.text)
        if more is None or len(error.related) >= _NOTES:
            return False
        spot = _MORE_SPOT.match(line.text)
        note = Related(
            file=spot["file"] if spot else None,
            line=number(spot["line"]) if spot else None,
            message=line.text.strip(" >"),
        )
        first = (
            spot is not None
            and error.file is None
            and ("referenced" in line.text or error.message.startswith("duplicate"))
        )
        self._open = replace(
            error,
            file=spot["file"] if spot and first else error.file,
            line=number(spot["line"]) if spot and first else error.line,
            related=(*error.related, note),
            excerpt=f"{error.excerpt}\n{line.text}",
            span=(error.log_line, line.number),
        )
        return True


def _one_line(line: Line) -> Finding | None:
    text = line.text
    if match := _GOLD.match(text):
        return _finding(line, match["message"], match["file"], number(match["line"]))
    if (match := _OBJECT.match(text)) and match["file"].rpartition(" ")[2] not in ("error", "warning", "note", "ld"):
        if _CONSEQUENCE.match(match["message"]) or match["message"].startswith("in function"):
            return None
        source = match["source"] if match["row"] else None
        return _finding(line, match["message"], source or match["file"], number(match["row"] or match["line"]))
    if match := _APPLE.match(text):
        return _finding(line, f"undefined symbol: {match['symbol']}")
    if match := _DUPLICATE.match(text):
        return _finding(line, f"duplicate symbol: {match['symbol']}")
    match = _MESSAGE.match(text)
    if match is None or _CONSEQUENCE.match(match["message"]):
        return None
    if not match["level"] and not _WRONG.match(match["message"]):
        return None
    severity = {"warning": Severity.WARNING, "note": Severity.NOTE}.get(match["level"] or "", Severity.ERROR)
    if re.match(r"(?:\S{1,300}: )?warning: ", match["message"]):
        severity = Severity.WARNING
    return replace(
        _finding(line, match["message"]), severity=severity, score=0.9 if severity is Severity.ERROR else 0.2
    )


def _finding(line: Line, message: str, file: str | None = None, row: int | None = None) -> Finding:
    also = _ALSO.search(message)
    return Finding(
        tool="ld",
        category=Category.COMPILE,
        message=_TEMPORARY.sub("", message[: also.start()] if also else message),
        related=(Related(file=also["file"], line=number(also["line"]), message="first defined here"),) if also else (),
        file=file,
        line=row,
        log_line=line.number,
        excerpt=line.text,
        score=0.9,
    )


FORMAT = Format(
    "ld",
    (
        "ld: ",
        "ld.exe: ",
        "lld: ",
        "lld-",
        "gold: ",
        "mold: ",
        "ld.bfd: ",
        "undefined reference to",
        "multiple definition of",
        "relocation ",
        "undefined symbol",
        ", referenced from:",
        "duplicate symbol",
        "ld64",
        "lld.exe",
        ": error: undefined reference",
    ),
    _Reader,
)
