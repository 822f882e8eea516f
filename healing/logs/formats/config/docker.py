"""docker build (BuildKit and the legacy builder), docker compose, and errors of the daemon."""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_SOLVE = r"(?:ERROR|error|\S{0,40}Error): (?:failed to build: )?failed to solve(?: with frontend \S{1,60})?: "
_COMPOSE = r"(?P<file>[^\s:]{0,300}(?:compose|stack)[\w.-]{0,60}\.ya?ml)"

FORMAT = shaped(
    "docker",
    (
        "ockerfile:", "ockerfile.", "ontainerfile:", "failed to solve", "returned a non-zero code",
        "rror response from daemon",
        "validating ", "compose", "dependency failed to start", "Dockerfile parse error", "failed to read dockerfile",
        "nvalid interpolation", "nknown instruction", "Cannot connect to the Docker daemon",
        " depends on undefined ", " refers to undefined ",
    ),
    RowPair(
        tool="docker",
        category=Category.CONFIG,
        first=re.compile(r"(?P<file>[^\s:]{0,300}(?:ocker|ontainer)file[^\s:]{0,80}):(?P<line>\d{1,7})(?:-\d{1,7})?$"),
        then=re.compile(rf"{_SOLVE}(?:failed to compute cache key: )?(?P<message>\S.{{0,1500}})$"),
        reach=60,
    ),
    Row(tool="docker", category=Category.CONFIG, line=re.compile(rf"{_SOLVE}(?P<message>\S.{{0,1500}})$")),
    Row(
        tool="docker",
        category=Category.CONFIG,
        line=re.compile(r"(?P<message>The command '.{1,1500}' returned a non-zero code: \d{1,3})$"),
    ),
    Row(
        tool="docker",
        category=Category.CONFIG,
        line=re.compile(
            r"(?:ERROR: |Error response from daemon: )?(?:dockerfile|Dockerfile) parse error(?: on)? line "
            r"(?P<line>\d{1,7}): "
            r"(?P<message>\S.{0,600})$"
        ),
        path="Dockerfile",
    ),
    Row(
        tool="docker",
        category=Category.INFRASTRUCTURE,
        line=re.compile(
            r"(?:docker: |Error: |ERROR: )?(?P<message>(?:Error response from daemon: (?!.{0,200}No such"
            r" container)\S.{0,600}"
            r"|Cannot connect to the Docker daemon.{0,200}))$"
        ),
    ),
    Row(
        tool="compose",
        category=Category.CONFIG,
        line=re.compile(rf"(?:ERROR: )?validating {_COMPOSE}: (?P<message>\S.{{0,600}})$"),
    ),
    Row(
        tool="compose",
        category=Category.CONFIG,
        line=re.compile(
            rf"(?:ERROR: )?(?:(?:failed to )?parsing |failed to parse |yaml: )?{_COMPOSE}:? (?:yaml: )?(?:while"
            rf" .{{1,80}} )?line "
            r"(?P<line>\d{1,7})(?:, column (?P<column>\d{1,6}))?: (?P<message>\S.{0,600})$"
        ),
    ),
    Row(
        tool="compose",
        category=Category.CONFIG,
        line=re.compile(
            r"(?P<message>dependency failed to start: \S.{0,300}|service \"[^\"]{1,80}\" (?:depends on|refers to)"
            r" undefined .{1,200}"
            r"|invalid interpolation format for .{1,300})$"
        ),
    ),
)  # fmt: skip
