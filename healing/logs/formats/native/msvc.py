"""Visual C++: cl, link, lib, rc and nmake, by themselves or in MSBuild (`12>file(3,4): error C2065: … [project]`)."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_PREFIX = r"\s{0,12}(?:[\d:.,]{5,20}\s{1,8})?(?:\[[\w ./-]{1,20}\]\s{1,4})?(?:\d{1,4}>\s{0,4})?"
_CODE = r"(?P<code>(?:C|LNK|RC|RW|A|D|U|PRJ|VCR|CVT|MIDL|CXX|VCCL)\d{1,5}|clang-[\w-]{1,60})"
_PROJECT = r"(?: \[(?P<project>[^\[\]]{1,400}\.(?:vcxproj|vcproj|proj|sln)[^\[\]]{0,100})\])?$"
_ROW = re.compile(
    rf"{_PREFIX}(?P<file>(?:[A-Za-z]:[\\/])?[^\s():\"<>|][^():\"<>|]{{0,400}}|[A-Za-z]:[\\/][^:\"<>|]{{1,400}}?)"
    r"\((?P<line>\d{1,9})(?:,(?P<column>\d{1,9}))?(?:[-,]\d{1,9}){0,3}\)\s?: "
    rf"(?P<level>(?:fatal )?error|warning|note|message)(?: {_CODE})?\s?: (?P<message>\S.*?){_PROJECT}"
)
_LINK = re.compile(
    rf"{_PREFIX}(?P<file>[^\s:][^:]{{0,400}}?|[A-Za-z]:[\\/][^:]{{1,400}}?) : (?:(?i:command line) )?(?P<level>"
    rf"(?:fatal )?error|warning) {_CODE}"
    rf"\s?: (?P<message>\S.*?){_PROJECT}"
)
_SOURCE = re.compile(
    r".*\.(?:c|h|cc|hh|cpp|hpp|cxx|hxx|inl|ipp|ixx|tpp|idl|rc|asm|cu|cuh|tlh|def|m|mm)$", re.IGNORECASE
)
_CONSEQUENCE = re.compile(r".{0,300}(?:return code '0x|exited with code)")
_NOTES = 20


class _Reader:
    """Reads errors; notes belong to the error above them."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        match = _ROW.match(line.text) if ")" in line.text else None
        if match and (match["code"] or _SOURCE.match(match["file"])) and not match["message"].startswith('in "'):
            if match["level"] in ("note", "message"):
                self._join(match, line)
                return ()
            done = self.close()
            self._open = _finding(match, line)
            return done
        done = self.close()
        if (link := _LINK.match(line.text)) and not _CONSEQUENCE.match(link["message"]):
            return (*done, _finding(link, line))
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done else ()

    def _join(self, match: re.Match[str], line: Line) -> None:
        error = self._open
        if error is None or len(error.related) >= _NOTES:
            return
        note = Related(
            file=match["file"], line=number(match["line"]), column=number(match["column"]), message=match["message"]
        )
        text = f"{error.excerpt}\n{line.text}"
        self._open = replace(error, related=(*error.related, note), excerpt=text, span=(error.log_line, line.number))


def _finding(match: re.Match[str], line: Line) -> Finding:
    groups = match.groupdict()
    severity = Severity.WARNING if groups["level"] == "warning" else Severity.ERROR
    tool = "link" if (groups["code"] or "").startswith("LNK") else "msvc"
    named = re.search(r"\.\w{1,6}\)?$", groups["file"])  # LINK, cl and NMAKE aren't files
    message = groups["message"]
    missing = severity is Severity.ERROR and "cannot open include file" in message.lower()
    return Finding(
        tool=tool,
        code=groups["code"],
        category=Category.IMPORT if missing else Category.COMPILE if severity is Severity.ERROR else Category.LINT,
        severity=severity,
        message=message,
        file=groups["file"] if named else None,
        line=number(groups.get("line")),
        column=number(groups.get("column")),
        log_line=line.number,
        excerpt=line.text,
        score=1.0 if severity is Severity.ERROR else 0.2,
    )


FORMAT = Format(
    "msvc",
    (
        "error C",
        "error LNK",
        "error RC",
        "error A",
        "error D",
        "error U",
        "error PRJ",
        "error CVT",
        "error MIDL",
        "warning C",
        "warning LNK",
        "warning D",
        "warning RC",
        "): error :",
        "): error:",
        "): note:",
        "): fatal error",
        "): warning :",
        "): warning:",
        ") : error",
        ") : warning",
        ") : note",
        ") : fatal error",
        ") : message",
    ),
    _Reader,
)
