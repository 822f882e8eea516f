"""ansible-lint (all its forms) and Ansible's own playbook runs."""

import re

from healing.logs.format import at_line
from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_FILE = r"(?P<file>[^\s:][^:\n]{0,300}\.ya?ml|[^\s:][^:\s]{0,300})"
_YAML = r"(?P<file>[^\s:][^:\s]{0,300}\.ya?ml)"
_RULE = r"(?P<code>[a-z]+(?:-[a-z0-9]+)*(?:\[[\w-]{1,60}\])|[a-z]{2,20}(?:-[a-z0-9]{1,20}){1,5}|E?\d{3})"
_AT = r"(?P<line>\d{1,7})(?::(?P<column>\d{1,6}))?"

FORMAT = shaped(
    "ansible",
    (
        *at_line(".yml", ".yaml"),
        "fatal: [",
        "failed: [",
        "ERROR! ",
        "[ERROR]: ",
        "error appears to be in",
        "UNREACHABLE!",
    ),
    RowPair(
        tool="ansible-lint",
        first=re.compile(rf"(?:{_RULE}: |\[{_RULE.replace('code', 'number')}\] )(?P<message>\S.{{0,600}})$"),
        then=re.compile(rf"{_FILE}:{_AT}(?: .{{0,400}})?$"),
        reach=1,
    ),
    Row(
        tool="ansible-lint",
        line=re.compile(rf"{_YAML}:{_AT}: \[?{_RULE}(?:\]:?|:) (?:\[[A-Z_]{{2,12}}\] )?(?P<message>\S.{{0,600}})$"),
    ),
    RowPair(
        tool="ansible",
        category=Category.RUNTIME,
        first=re.compile(
            r"(?:fatal|failed): \[[^\]]{1,200}\](?: \(item=.{0,300}?\))?: (?:FAILED|UNREACHABLE)! => "
            r"(?:.{0,4000}?\"msg\": \"(?P<message>(?:[^\"\\]|\\.){1,1000})\"|.{0,4000}$)"
        ),
        between=(re.compile(r"\s{1,8}\"?msg\"?: (?:[|>]-?$|\"?(?P<message>[^\"|>].{0,1000}?)\"?,?$)"),),
        then=re.compile(r"(?P<never>\.\.\.ignoring)$"),
        stop=re.compile(r"TASK \[|PLAY |RUNNING HANDLER|(?:ok|changed|skipping|fatal|failed): \["),
        reach=30,
        alone=True,
    ),
    RowPair(
        tool="ansible",
        category=Category.SYNTAX,
        first=re.compile(r"(?:ERROR! |\[ERROR\]: )(?P<message>\S.{0,1000})$"),
        then=re.compile(
            r"(?:The error appears to be in '|Origin: )(?P<file>[^':]{1,400})'?:(?: line )?(?P<line>\d{1,7})"
            r"(?:, column |:)(?P<column>\d{1,6})"
        ),
        reach=12,
        alone=True,
    ),
    before=1,
)
