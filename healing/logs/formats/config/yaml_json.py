"""Parsers of YAML and JSON: libyaml's and ruamel's marks, js-yaml, Go's `yaml: line 3: …`, jq and json.tool."""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_FILE = r"(?P<file>[^\s:\"'()]{1,300}\.(?:ya?ml|json5?|jsonc))"
_PLACE = r"line:? (?P<line>\d{1,7}),? col(?:umn)?:? (?P<column>\d{1,6})"
_SAYS = r"(?P<message>\S.{2,400}?)"

FORMAT = shaped(
    "yaml-json",
    (
        *(f" line {digit}" for digit in range(1, 10)), "(line: ", "found ", "expected ", "did not find",
        "not find expected",
        "mapping values", "block sequence", "undefined alias", "YAMLException: ", "JS-YAML: ", "Parse error on line",
    ),
    # libyaml: what was expected, then the mark; an earlier mark is where the whole node began.
    RowPair(
        tool="yaml",
        category=Category.SYNTAX,
        first=re.compile(
            r"\s{0,8}(?:\w{1,40}(?:\.\w{1,40}){0,4}: )?(?P<message>(?:expected [<'\"]|found |could not find expected"
            r"|did not find|mapping values are not|(?:block )?sequence entries are not|undefined alias).{0,300})$"
        ),
        then=re.compile(rf"\s{{1,12}}in \"(?P<file>[^\"]{{1,300}})\", {_PLACE}"),
        reach=1,
    ),
    Row(tool="yaml", category=Category.SYNTAX, line=re.compile(
        rf"(?:\w{{0,20}}[Ee]rror: )?\({_FILE}\): {_SAYS} at {_PLACE}")),
    Row(tool="yaml", category=Category.SYNTAX, line=re.compile(
        rf"(?:\w{{0,20}}[Ee]rror: )?{_FILE}: \({_PLACE}\):? {_SAYS}$")),
    Row(tool="yaml", category=Category.SYNTAX, line=re.compile(
        rf"(?:.{{0,120}}?{_FILE}[\"']?: (?:error converting YAML to JSON: )?)?yaml: line "
        rf"(?P<line>\d{{1,7}}): {_SAYS}$")),
    Row(tool="yaml", category=Category.SYNTAX, line=re.compile(
        rf"(?:.{{0,80}}: )?YAMLException: {_SAYS}(?: in \"{_FILE}\")? at {_PLACE}:?$")),
    Row(tool="yaml", category=Category.SYNTAX, line=re.compile(
        r"Error formatting (?P<file>[^\s:]{1,300})\. Message: " rf"{_SAYS} on {_PLACE}")),
    RowPair(
        tool="yaml",
        category=Category.SYNTAX,
        first=re.compile(rf"{_FILE}:?$"),
        then=re.compile(r"(?:JS-YAML: |YAMLException: )(?P<message>\S.{2,300}?)"
                        r" \((?P<line>\d{1,7}):(?P<column>\d{1,6})\):?$"),
        reach=1,
    ),
    # jq, Python's json.tool, jsonlint
    Row(tool="json", category=Category.SYNTAX, line=re.compile(
        rf"(?:jq: error \(at .{{1,80}}\): |(?:jq: )?parse error: ){_SAYS} at {_PLACE}$")),
    Row(tool="json", category=Category.SYNTAX, line=re.compile(
        rf"(?P<message>(?:Expecting|Invalid|Extra data|Unterminated|Illegal)\b.{{0,120}}?): {_PLACE} "
        r"\(char \d{1,9}\)$")),
    RowPair(
        tool="json",
        category=Category.SYNTAX,
        first=re.compile(r"(?:Error: )?Parse error on line (?P<line>\d{1,7}):$"),
        then=re.compile(r"(?P<message>Expecting .{1,400}|Unexpected .{1,400})$"),
        reach=4,
    ),
    before=1,
)  # fmt: skip
