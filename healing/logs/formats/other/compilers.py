"""Less common compilers and checkers that print code frames or tables, or have another form of their own."""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_AT = r"(?P<line>\d{1,7})"
_COL = r"(?P<column>\d{1,6})"
_SAYS = r"(?P<message>\S.{2,600})$"


def _named(*endings: str) -> str:
    return rf"(?P<file>[^\s:\"()]{{1,300}}\.(?:{'|'.join(endings)}))"


FORMAT = shaped(
    "compilers",
    (
        ".groovy: ", ".gradle: ", ".gvy: ", ".groovy\n", "File: ", ".nix>", "NVC", "NVFORTRAN-", "PGC", "PGF",
        " IN LINE ",
        " (C ", "\", line ", "FAIL: ", "SCRIPT ERROR: ", "USER ERROR: ", "\nERROR: ", "┌─ ", ", Severity: ", ".html\n",
        ".htm\n", ".vue\n", "RuleID:",
    ),
    RowPair(
        tool="groovy",
        category=Category.COMPILE,
        first=re.compile(rf"{_named('groovy', 'gradle', 'gvy')}: \d{{1,7}}: (?!.{{0,600}} @ line){_SAYS}"),
        then=re.compile(rf" ?@ line {_AT}, column {_COL}\.$"),
        reach=2,
    ),
    RowPair(
        tool="codenarc",
        first=re.compile(rf"File: {_named('groovy', 'gradle')}$"),
        then=re.compile(rf"\s{{2,8}}Violation: Rule=(?P<code>\w{{1,80}}) P=\d Line={_AT} Msg="
                        rf"\[(?P<message>[^\]]{{2,400}})\]"),
        many=True,
        reach=2,
    ),
    Row(tool="statix", line=re.compile(rf"{_named('nix')}>{_AT}:{_COL}:(?P<level>[EW]):(?P<code>\d{{1,4}}):{_SAYS}")),
    # NVIDIA's and PGI's compilers
    Row(tool="nvc", category=Category.COMPILE, line=re.compile(
        r"(?:NVC|NVC\+\+|NVFORTRAN|PGC|PGCC|PGF\d\d|PGFORTRAN)-(?P<level>[WSF])-(?P<code>\d{4})-"
        rf"(?P<message>\S.{{2,400}}?) \((?P<file>[^\s:()]{{1,300}}): {_AT}\)$")),
    Row(tool="keil", category=Category.COMPILE, line=re.compile(
        rf"\*{{3}} (?P<level>ERROR|WARNING) (?P<code>\w{{2,8}}) IN LINE {_AT} OF (?P<file>[^:]{{1,300}}): {_SAYS}")),
    Row(tool="mlint", line=re.compile(rf"(?:===== )?L {_AT} \(C {_COL}(?:-\d{{1,6}})?\): (?:\w{{2,8}}: )?{_SAYS}")),
    Row(tool="pytype", line=re.compile(
        rf"File \"(?P<file>[^\"]{{1,300}}\.pyi?)\", line {_AT}, in [\w.<>]{{1,120}}: {_SAYS}")),
    Row(tool="uncrustify", category=Category.FORMAT, line=re.compile(
        r"FAIL: (?P<file>[^\s:]{1,300}\.\w{1,5}) (?P<message>\(File size .{1,100}\))$")),
    RowPair(
        tool="gdscript",
        category=Category.RUNTIME,
        first=re.compile(rf"(?:SCRIPT |USER )?ERROR: {_SAYS}"),
        then=re.compile(rf"\s{{1,12}}at: .{{0,100}}\((?:res://)?{_named('gd')}:{_AT}\)"),
        reach=2,
    ),
    RowPair(
        tool="rebar3",
        category=Category.COMPILE,
        first=re.compile(rf"\s{{0,8}}┌─ {_named('erl', 'hrl')}:$"),
        between=(re.compile(rf"\s{{0,6}}{_AT} │"),),
        then=re.compile(r"\s{0,8}│\s{1,200}╰─{1,80} (?P<message>\S.{2,400})$"),
        reach=8,
    ),
    RowPair(
        tool="kics",
        first=re.compile(r"(?P<message>[A-Z].{2,200}), Severity: (?P<level>\w{2,10}), Results: \d{1,6}$"),
        then=re.compile(rf"\s{{1,8}}\[\d{{1,5}}\]: (?P<file>[^\s:]{{1,300}}):{_AT}$"),
        many=True,
        reach=6,
    ),
    RowPair(
        tool="htmlhint",
        first=re.compile(rf"\s{{0,6}}{_named('html?', 'vue')}$"),
        between=(re.compile(rf"\s{{2,12}}L{_AT} \|"),),
        then=re.compile(r"\s{2,400}\^ (?P<message>\S.{2,400}?) \((?P<code>[a-z-]{2,40})\)$"),
        reach=4,
    ),
    RowPair(
        tool="gitleaks",
        first=re.compile(r"RuleID:\s{1,12}(?P<code>(?P<message>[\w.-]{2,80}))$"),
        between=(re.compile(r"File:\s{1,12}(?P<file>\S{1,300})$"),),
        then=re.compile(rf"Line:\s{{1,12}}{_AT}$"),
        reach=6,
    ),
)  # fmt: skip
