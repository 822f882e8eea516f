"""Scanners of infrastructure as code: tfsec, Trivy's tables, Checkov."""

import re

from healing.logs.shapes import RowPair, shaped
from healing.model import Category

_RANGE = r"(?P<line>\d{1,7})(?:-(?P<end_line>\d{1,7}))?"
_FILE = r"(?P<file>/?[^\s:][^:]{0,300})"
_LEVELS = r"(?P<level>CRITICAL|HIGH|MEDIUM|LOW)"

FORMAT = shaped(
    "iac",
    ("Result #", "Check: CK", " (CRITICAL): ", " (HIGH): ", " (MEDIUM): ", " (LOW): ", "CRITICAL: ", "HIGH: "),
    RowPair(
        tool="tfsec",
        category=Category.SECURITY,
        first=re.compile(rf"\s{{0,4}}Result #\d{{1,6}} {_LEVELS} (?P<message>\S.{{0,600}}?)\s{{0,8}}$"),
        then=re.compile(rf"\s{{1,4}}{_FILE}:{_RANGE}(?: \(.{{0,200}}\))?\s{{0,8}}$"),
        reach=4,
    ),
    RowPair(
        tool="trivy",
        category=Category.SECURITY,
        first=re.compile(rf"(?:(?P<code>[A-Z]{{2,5}}-[\w-]{{2,30}}) \({_LEVELS}\)|"
            rf"(?P<loud>CRITICAL|HIGH|MEDIUM|LOW)): (?P<message>\S.{{0,600}})$"),
        then=re.compile(rf"\s{{1,4}}{_FILE}:{_RANGE}(?: \(.{{0,200}}\))?\s{{0,8}}$"),
        reach=20,
    ),
    RowPair(
        tool="checkov",
        category=Category.SECURITY,
        first=re.compile(r"\s{0,4}Check: (?P<code>CKV?\w{1,40}): \"(?P<message>.{1,600})\"$"),
        between=(re.compile(r"\s{1,8}(?:FAILED|Severity: \w{1,12})"),),
        then=re.compile(rf"\s{{1,8}}(?:(?P<never>PASSED|SKIPPED) for|File: {_FILE}:{_RANGE}$)"),
        stop=re.compile(r"\s{0,4}Check: "),
        reach=5,
    ),
)  # fmt: skip
