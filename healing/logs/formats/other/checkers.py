"""Compilers and checkers of less common languages, each recognized by its unique form."""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category, Severity

_AT = r"(?P<line>\d{1,7})"
_COL = r"(?P<column>\d{1,6})"
_SAYS = r"(?P<message>\S.{2,600})$"
_LEVEL = r"(?P<level>(?i:error|warning|info|notice|severe))"
_F = r"(?P<file>[^\s:\"()]{1,300}\.%s)"


def _named(*endings: str) -> str:
    return _F % (endings[0] if len(endings) == 1 else f"(?:{'|'.join(endings)})")


FORMAT = shaped(
    "checkers",
    (
        " - Warning: ", " - Error: ", "/1)", "/2) ", "/3) ", "/4) ", 'awk: ', ' +', '.tex", line ', "IME ERROR: ",
        "TIC ERROR: ", "(file \"", ".groovy: ", ".coffee: line ", " -- ", "Haml error", "on line ", ", Line ", ".tcl: ",
        ".pl:", "can't read ", "invalid command name", "wrong # args", ".service:", ".socket:", ".timer:", ".mount:",
        ".texi:", ".el:", ": error:", ".v\", line", ". ERROR in ", ". WARNING in ",
        "\nLine ",
    ),
    # HTML Tidy
    Row(tool="tidy", line=re.compile(
        rf"(?:{_named('x?html?', 'xml', 'svg')}: )?line {_AT} column {_COL} - {_LEVEL}: {_SAYS}")),
    # docutils: rst-lint, rstcheck
    Row(tool="docutils", line=re.compile(rf"{_named('rst', 'txt', 'md', 'py')}:{_AT}: \({_LEVEL}/[1-4]\) {_SAYS}")),
    Row(tool="awk", category=Category.SYNTAX, line=re.compile(
        rf"[gmn]?awk: (?P<file>[^\s:]{{1,300}}):{_AT}:\s{{1,80}}\^ {_SAYS}")),
    # clang -fdiagnostics-format=vi
    Row(tool="clang", category=Category.COMPILE, line=re.compile(
        rf"(?P<file>[^\s:]{{1,300}}\.\w{{1,5}}) \+{_AT}(?::{_COL})?: (?:fatal )?{_LEVEL}: {_SAYS}")),
    Row(tool="lacheck", severity=Severity.WARNING, line=re.compile(
        rf"\"{_named('tex', 'sty', 'cls')}\", line {_AT}: {_SAYS}")),
    Row(tool="jsonnet", category=Category.COMPILE, line=re.compile(
        rf"(?:RUNTIME|STATIC) ERROR: (?P<file>[^\s:]{{1,300}}):{_AT}:{_COL}(?:-\d{{1,6}})?:? {_SAYS}")),
    Row(tool="groovy", category=Category.COMPILE, line=re.compile(
        rf"{_named('groovy', 'gradle', 'gvy')}: \d{{1,7}}: (?P<message>\S.{{2,600}}?) @ line {_AT}, column {_COL}\.$")),
    Row(tool="coffeelint", line=re.compile(rf"{_named('coffee')}: line {_AT}: {_SAYS}")),
    Row(tool="haml", category=Category.SYNTAX, line=re.compile(rf"Haml error on line {_AT}: {_SAYS}")),
    Row(tool="less", category=Category.SYNTAX, line=re.compile(
        rf"(?:\w{{1,20}}Error: )?(?P<message>\S.{{2,300}}?) in {_named('less', 'css')} on line {_AT}, "
        rf"column {_COL}:?$")),
    Row(tool="nagelfar", line=re.compile(
        rf"(?:{_named('tcl', 'tm', 'test')}:|Line)\s{{1,6}}{_AT}: (?P<level>[EWN]) {_SAYS}")),
    Row(tool="perlcritic", line=re.compile(
        rf"{_named('p[lm]', 't')}:{_AT}:(?P<message>\S.{{2,400}}?) \((?P<code>\w{{1,60}}::\w{{1,80}})\)$")),
    Row(tool="systemd-analyze", category=Category.CONFIG, line=re.compile(
        rf"{_named('service', 'socket', 'timer', 'mount', 'target', 'path', 'slice')}:{_AT}: {_SAYS}")),
    Row(tool="texinfo", line=re.compile(rf"{_named('texi', 'texinfo')}:{_AT}: (?:{_LEVEL}: )?{_SAYS}")),
    Row(tool="emacs", line=re.compile(rf"{_named('el')}:{_AT}:(?:{_COL}:)? ?{_LEVEL}: {_SAYS}")),
    RowPair(
        tool="slim",
        category=Category.SYNTAX,
        first=re.compile(
            r"(?:[\w.:]{0,80}SyntaxError: )?(?P<message>(?:Expected|Unexpected|Malformed|Unknown|Text) .{2,200})$"
        ),
        then=re.compile(rf"\s{{1,8}}{_named('slim')}, Line {_AT}, Column {_COL}"),
        reach=1,
    ),
    # Tcl prints the place last, below the calls that led there.
    RowPair(
        tool="tcl",
        category=Category.RUNTIME,
        first=re.compile(
            r"(?P<message>(?:can't read |invalid command name |wrong # args|extra characters after|missing close"
            r"|expected ).{1,300})$"
        ),
        then=re.compile(rf"\s{{1,8}}\(file \"(?P<file>[^\"]{{1,300}})\" line {_AT}\)"),
        reach=40,
    ),
    # Eclipse's compiler: the line, a code frame, and then the message.
    RowPair(
        tool="ecj",
        category=Category.COMPILE,
        first=re.compile(rf"(?:\s{{1,8}}\[javac\] )?\d{{1,5}}\. (?P<level>ERROR|WARNING) in "
                         rf"(?P<file>\S{{1,300}}\.java) \(at line {_AT}\)$"),
        then=re.compile(r"(?:\s{1,8}\[javac\] )?(?P<message>[^\s\[-].{2,400})$"),
        reach=4,
    ),
    # Coq
    RowPair(
        tool="coq",
        category=Category.COMPILE,
        first=re.compile(
            rf"File \"(?P<file>[^\"]{{1,300}}\.v)\", line {_AT}, characters (?P<column>\d{{1,6}})-\d{{1,6}}:$"
        ),
        then=re.compile(rf"(?P<level>Error|Warning): {_SAYS}"),
        reach=3,
    ),
    before=1,
)  # fmt: skip
