"""Prose: Vale, commitlint, gitlint, proselint, write-good."""

import re

from healing.logs.shapes import Row, RowPair, shaped

_FILE = r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]{0,300}\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|html|tex|dita|org))"

FORMAT = shaped(
    "prose",
    (
        "input: ", *(f": {kind}{n} " for kind in "TB" for n in range(1, 9)), ": M1 ", ": I1 ", ": CT1 ",
        ": CC1 ", ": UC",
        ".md\n", ".mdx\n", ".rst\n", ".adoc\n", ".txt\n", ".html\n", "on line ",
    ),
    RowPair(
        tool="vale",
        first=re.compile(rf"\s{{0,2}}{_FILE}$"),
        then=re.compile(
            r"\s{1,4}(?P<line>\d{1,7}):(?P<column>\d{1,6})\s{1,8}(?P<level>error|warning|suggestion)\s{2,8}"
            r"(?P<message>\S.{0,400}?)"
            r"\s{2,80}(?P<code>[A-Z]\w{0,40}\.[\w-]{2,60})\s{0,8}$"
        ),
        many=True,
        reach=4,
    ),
    RowPair(
        tool="commitlint",
        first=re.compile(r"⧗\s{1,8}input: .*$"),
        then=re.compile(r"(?P<level>[✖⚠])\s{1,8}(?P<message>\S.{0,300}?) \[(?P<code>[a-z-]{3,60})\]$"),
        many=True,
        reach=40,
    ),
    Row(tool="gitlint", line=re.compile(r"(?:-|(?P<line>\d{1,6})): (?P<code>[TBMI]\d|C[TC]1|UC\d) "
        r"(?P<message>[A-Z]\S.{0,400})$")),
    Row(
        tool="write-good",
        line=re.compile(r"(?P<message>\"[^\"]{1,80}\" .{3,120}?) on line (?P<line>\d{1,7}) at column "
            r"(?P<column>\d{1,6})$"),
    ),
)  # fmt: skip
