"""Failed tests of unknown runners, by their names; reported only if there is no more reliable error."""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_TIME = r"(?:\s{1,8}[(\[]?\d{1,6}(?:\.\d{1,6})?\s?m?s(?:ec)?[)\]]?)?"
_NAME = (
    r"(?P<test>(?!(?:Finished|Result|Status|Verdict)\b)(?!\d{1,6} (?:of|tests?|failed|failures?|errors?)\b)"
    r"[A-Za-z_/.\"'@$]\S{0,200}(?: \S{1,80}){0,12}?)"
)

FORMAT = shaped(
    "generic-test",
    (
        "FAIL",
        "✗ ",
        "✘ ",
        "✖ ",
        "× ",
        "❌ ",
        "ailed tests:",
        "tests failed:",
        "ailing tests:",
        "ailing scenarios:",
        "rrored scenarios:",
    ),
    RowPair(
        tool="generic",
        category=Category.TEST,
        score=0.4,
        first=re.compile(
            r"\s{0,8}(?:\d{1,6} )?(?i:the following )?(?i:failed tests|tests failed|failing tests)(?:"
            r" \(\d{1,6}\))?:\s{0,4}$"
        ),
        then=re.compile(rf"\s{{1,12}}(?:[-*•✗✘✖×] |\d{{1,6}}[.)] )?{_NAME}{_TIME}$"),
        many=True,
        reach=1,
    ),
    RowPair(
        tool="generic",
        category=Category.TEST,
        score=0.4,
        first=re.compile(r"\s{0,8}(?i:(?:failing|errored) scenarios):\s{0,4}$"),
        then=re.compile(r"\s{1,12}(?P<file>[^\s:]{1,300}\.feature):(?P<line>\d{1,7})\s{1,8}(?P<test>\S.{0,300})$"),
        many=True,
        reach=1,
    ),
    Row(
        tool="generic",
        category=Category.TEST,
        score=0.4,
        line=re.compile(
            rf"\s{{0,8}}(?:\[\s{{0,4}})?FAIL(?:ED|URE)?(?:\s{{0,4}}\])?(?::\s{{0,8}}|\s{{1,12}}){_NAME}{_TIME}$"
        ),
    ),
    Row(
        tool="generic",
        category=Category.TEST,
        score=0.4,
        line=re.compile(
            rf"\s{{0,12}}(?:test )?{_NAME}\s{{0,4}}(?:\.{{3,200}}|\.\.\.|:)\s{{0,4}}\[?(?:FAIL(?:ED|URE)?|not"
            rf" ok)\]?{_TIME}$"
        ),
    ),
    Row(
        tool="generic",
        category=Category.TEST,
        score=0.4,
        line=re.compile(rf"\s{{1,12}}[✗✘✖×❌] {_NAME}{_TIME}$"),
    ),
    rank=-1,
)
