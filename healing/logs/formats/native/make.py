"""make, ninja, meson, configure, bazel: their own errors; a failed command reports its errors itself."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, line_format, number
from healing.logs.lines import Line
from healing.model import Category, Severity

_PLACE = re.compile(
    r"(?P<file>(?:[\w.@+~/\\-]{0,300}/)?(?:[Mm]akefile|GNUmakefile|[\w.-]{1,60}\.(?:mk|mak|am"
    r"|make))(?:\.\w{1,10})?):(?P<line>\d{1,9}): "
    r"\*\*\* (?P<message>\S.*?)\.?(?: {1,2}Stop\.)?$"
)
_OWN = re.compile(
    r"(?:g?make|mingw32-make|nmake|remake)(?:\[\d{1,4}\])?(?:\.exe)?: \*\*\* (?P<message>(?:No rule to make target"
    r"|No targets"
    r"|multiple target|missing separator|recipe commences|Recursive variable|Circular).*?)\.?(?: {1,2}Stop\.)?$"
)
_NINJA = re.compile(r"ninja(?:\.exe)?: (?:error|fatal): (?P<message>(?!build stopped)\S.*)$")
_NINJA_FILE = re.compile(r"ninja: error: (?P<file>[^\s:]{1,300}\.ninja):(?P<line>\d{1,9}): (?P<message>\S.*)$")
_MESON = re.compile(
    r"(?P<file>(?:[^\s:]{1,300}/)?meson(?:\.build|_options\.txt|\.options)):(?P<line>\d{1,9}):(?P<column>\d{1,9}): "
    r"(?P<level>ERROR|WARNING|DEPRECATION): (?P<message>\S.*)$"
)
_CONFIGURE = re.compile(r"(?:\S{0,200}/)?config(?:ure|\.status)?: error: (?P<message>\S.*)$")
_AUTOCONF = re.compile(
    r"(?P<file>configure\.(?:ac|in)|[\w./-]{1,200}\.(?:m4|am)):(?P<line>\d{1,9}): (?P<level>error"
    r"|warning): (?P<message>\S.*)$"
)
_BAZEL = re.compile(
    r"(?:\(\d\d:\d\d:\d\d\) )?(?P<level>ERROR|WARNING): (?:(?P<file>[^\s:]{1,400}):(?P<line>\d{1,9}):"
    r"(?P<column>\d{1,9}): )"
    r"(?P<message>\S.*)$"
)
_BAZEL_TEST = re.compile(
    r"(?P<test>(?:@{1,2}[\w.+~-]{0,100})?//[^\s:]{0,300}:\S{1,200})\s{1,80}(?P<message>(?:FAILED|TIMEOUT|FLAKY"
    r"|NO STATUS)\b.*)$"
)
_PKG = re.compile(
    r"(?P<message>(?:Package '?[\w.+-]{1,80}'?,? .{0,80}not found in the pkg-config|No package '[^']{1,80}' found).*)$"
)
_COMMAND_FAILED = re.compile(r".{0,400}(?:error executing|failed: \(Exit \d+\)|Build did NOT|not all tests were)")


def _build(tool: str) -> Any:
    def build(groups: Mapping[str, Any], line: Line) -> Finding | None:
        message = groups["message"]
        warning = groups.get("level") in ("WARNING", "DEPRECATION", "warning") or message.startswith("FLAKY")
        weak = bool(_COMMAND_FAILED.match(message))
        return Finding(
            tool=tool,
            category=Category.TEST if groups.get("test") else Category.CONFIG,
            severity=Severity.WARNING if warning else Severity.ERROR,
            message=message,
            file=groups.get("file"),
            line=number(groups.get("line")),
            column=number(groups.get("column")),
            test=groups.get("test"),
            log_line=line.number,
            excerpt=line.text,
            score=0.2 if warning else 0.4 if weak else 0.9,
        )

    return build


FORMAT = line_format(
    "make",
    (
        ": *** ",
        "ninja: ",
        "meson",
        "configure: error",
        "configure.ac:",
        "config.status: ",
        ".m4:",
        ".am:",
        "ERROR: /",
        "WARNING: /",
        "FAILED in",
        "TIMEOUT in",
        "NO STATUS",
        "No package '",
        "pkg-config search path",
        "FAILED TO BUILD",
    ),
    (_PLACE, _build("make")),
    (_OWN, _build("make")),
    (_NINJA_FILE, _build("ninja")),
    (_NINJA, _build("ninja")),
    (_MESON, _build("meson")),
    (_CONFIGURE, _build("configure")),
    (_AUTOCONF, _build("autoconf")),
    (_BAZEL, _build("bazel")),
    (_BAZEL_TEST, _build("bazel")),
    (_PKG, _build("pkg-config")),
)
