"""gosec's own report, govulncheck's findings, and revive's and staticcheck's grouped styles."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_GOSEC = re.compile(
    r"\[(?P<file>[^\[\]]{1,400}\.go):(?P<line>\d{1,9})(?:-\d{1,9})?(?::(?P<column>\d{1,9}))?\] - (?P<code>G\d{1,4})"
    r"(?: \((?P<cwe>CWE-\d{1,5})\))?: (?P<message>.{1,800}?) \(Confidence: \w{1,10}, Severity: \w{1,10}\)$"
)
_VULNERABILITY = re.compile(r"Vulnerability #\d{1,4}: (?P<code>GO-\d{4}-\d{1,6})$")
_FIXED = re.compile(r"\s{1,8}Fixed in: (?P<fixed>\S.{0,200})$")
_MODULE = re.compile(r"\s{1,8}(?:Module|Standard library|Found in): ?(?P<module>.{0,200})$")
_TRACE = re.compile(
    r"\s{4,12}(?:#\d{1,3}: )?(?P<file>\S{1,300}\.go):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<message>\S.*)$"
)
_REVIVE = re.compile(r"\s{1,6}[⚠✘]\s{1,4}https://revive\.run/r#(?P<code>[\w-]{1,60})\s{1,4}(?P<message>\S.*?)\s{0,4}$")
_REVIVE_SPOT = re.compile(r"\s{2,6}(?P<file>\S{1,300}\.go):(?P<line>\d{1,9}):(?P<column>\d{1,9})$")
_GROUP = re.compile(r"(?P<file>[\w.@+~/\\-]{1,300}\.go)$")
_GROUPED = re.compile(
    r"\s{2,4}\((?P<line>\d{1,9}), (?P<column>\d{1,9})\)\s{1,6}(?:https://revive\.run/r#)?(?P<code>[\w-]{2,60})\s{1,6}"
    r"(?P<message>\S.*)$"
)


class _Reader:
    """Reads errors of several lines, and groups below a path."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None
        self._group = ""

    @property
    def busy(self) -> bool:
        return self._open is not None or bool(self._group)

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if match := _GOSEC.match(text):
            return (*self.close(), _finding("gosec", match, line))
        if match := _VULNERABILITY.match(text):
            done = self.close()
            self._open = replace(_finding("govulncheck", match, line, ""), category=Category.DEPENDENCY)
            return done
        if match := _REVIVE.match(text):
            done = self.close()
            self._open = _finding("revive", match, line)
            return done
        if self._open is not None:
            return self._inside(self._open, line)
        if self._group and (match := _GROUPED.match(text)):
            tool = "revive" if "revive.run" in text else "staticcheck"
            return (replace(_finding(tool, match, line), file=self._group),)
        group = _GROUP.match(text)
        self._group = group["file"] if group else ""
        return ()

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done and done.message else ()

    def _inside(self, error: Finding, line: Line) -> Iterable[Finding]:
        text = line.text
        if error.tool == "revive":
            if spot := _REVIVE_SPOT.match(text):
                self._open = replace(error, file=spot["file"], line=number(spot["line"]), column=number(spot["column"]))
            return self.close()
        if not text.startswith(" ") and text.strip():
            return self.close()
        error = replace(error, excerpt=f"{error.excerpt}\n{text}"[:4_000], span=(error.log_line, line.number))
        if match := _FIXED.match(text):
            error = replace(error, suggestion=f"Update to {match['fixed']}.")
        elif match := _MODULE.match(text):
            error = replace(error, message=f"{error.message} ({match['module']})" if match["module"] else error.message)
        elif match := _TRACE.match(text):
            if error.file is None:
                error = replace(error, file=match["file"], line=number(match["line"]), column=number(match["column"]))
        elif text.startswith("    ") and "More info" not in text and error.excerpt.count("\n") < 6:
            error = replace(error, message=f"{error.message} {text.strip()}".strip())
        self._open = error
        return ()


def _finding(tool: str, match: re.Match[str], line: Line, message: str | None = None) -> Finding:
    groups = match.groupdict()
    return Finding(
        tool=tool,
        code=groups.get("code"),
        category=Category.SECURITY if tool == "gosec" else Category.LINT,
        message=groups.get("message") or "" if message is None else message,
        file=groups.get("file"),
        line=number(groups.get("line")),
        column=number(groups.get("column")),
        log_line=line.number,
        excerpt=line.text,
    )


FORMAT = Format(
    "gosec",
    (
        "] - G",
        "Vulnerability #",
        "https://revive.run/",
        "  (1",
        "  (2",
        "  (3",
        "  (4",
        "  (5",
        "  (6",
        "  (7",
        "  (8",
        "  (9",
    ),
    _Reader,
)
