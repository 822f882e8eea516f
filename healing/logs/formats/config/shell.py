"""Shells themselves: `x.sh: line 3: syntax error near …`, dash's `x.sh: 3: Syntax error: …`, zsh's `x.zsh:3: …`."""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_SCRIPT = (
    r"(?P<file>(?:[A-Za-z]:)?[^\s:`'\"][^:`'\"]{0,300}\.(?:sh|bash|zsh|ksh|bats|bashrc|profile)"
    r"|(?!(?:/usr)?/bin/)[\w./-]{0,200}/[\w.-]{1,60})"
)
_SYNTAX = (
    r"(?P<message>(?:[Ss]yntax error|parse error|unexpected EOF|conditional binary operator|here-document at)\b.{0,400}"
    r"|unexpected (?:token|argument|end of file).{0,400})$"
)
_FAILS = (
    r"(?P<message>\S.{0,300}?: (?:command not found|(?:No such|Is a|Not a) .{1,60}|Permission denied|unbound variable"
    r"|parameter (?:not set|null or not set)|bad substitution|not found|cannot execute.{0,80}|numeric argument required"
    r"|integer expression expected|readonly variable|too many arguments|ambiguous redirect|invalid .{1,60}"
    r"|division by 0.{0,80}|Bad substitution|Illegal .{1,60}|bad (?:math|interpreter).{1,80}|arithmetic syntax"
    r" error.{0,80}))$"
)
_DASH = re.compile(rf"{_SCRIPT}: (?P<line>\d{{1,7}}): (?:[a-z]{{1,12}}: )?{_FAILS}")

_SIGNAL = r"(?:Segmentation fault|Bus error|Aborted|Floating point exception|Illegal instruction)"
_SCRIPTS = shaped(
    "shell",
    (
        "yntax error", "parse error near", "unexpected EOF", "here-document at", "command not found", ": No such file",
        "Permission denied", "unbound variable", "parameter not set", "parameter null", "ad substitution",
        ": not found",
        "cannot execute", "argument required", "expression expected", "readonly variable", "ambiguous redirect",
        "Is a directory", "Not a directory", "too many arguments", "unexpected token", "unexpected argument",
        "conditional binary", "division by 0", "unexpected end of file", "bad interpreter", ": invalid ",
        ".fish (line", "possible bashism", "✗ ", ".ps1:",
        ".psm1:", "PSAvoid", "PSUse", "PSProvide", "PSMissing", "PSPossible", "PSReview", "PSShould",
    ),
    Row(tool="fish", category=Category.RUNTIME, line=re.compile(
        r"(?P<file>[^\s:]{1,300}\.fish) \(line (?P<line>\d{1,7})\): (?P<message>\S.{2,300})$")),
    Row(tool="checkbashisms", line=re.compile(
        r"(?P<message>possible bashism in (?P<file>\S{1,300}) line (?P<line>\d{1,7}) \(.{1,200}\)):?$")),
    Row(tool="psscriptanalyzer", line=re.compile(
        r"(?P<code>PS[A-Z]\w{3,60})\s{1,80}(?P<level>ParseError|Error|Warning|Information)\s{1,20}"
        r"(?P<file>\S{1,300}\.ps[md]?1)\s{1,40}(?P<line>\d{1,7})\s{1,20}(?P<message>\S.{2,400})$")),
    RowPair(
        tool="bats",
        category=Category.TEST,
        first=re.compile(r"\s?✗ (?P<test>\S.{0,200})$"),
        between=(
            re.compile(r"\s{2,8}\(?.{0,8}in (?:test )?file (?P<file>[^\s,]{1,300}\.\w{1,6}), line (?P<line>\d{1,7})"),
        ),
        then=re.compile(r"\s{2,12}(?P<message>`.{1,400}' failed\b.{0,60})$"),
        reach=6,
    ),
    # PowerShell's message is below the place and its code frame.
    RowPair(
        tool="powershell",
        category=Category.RUNTIME,
        first=re.compile(r"At (?P<file>[^\n]{1,300}\.psm?1):(?P<line>\d{1,7}) char:(?P<column>\d{1,6})$"),
        then=re.compile(r"(?P<message>(?!\s{0,8}\+)[A-Z'\"(].{5,600})$"),
        reach=5,
    ),
    Row(tool="shell", category=Category.SYNTAX, line=re.compile(rf"{_SCRIPT}: line (?P<line>\d{{1,7}}):"
        rf" (?!`){_SYNTAX}")),
    Row(tool="shell", category=Category.RUNTIME, line=re.compile(rf"{_SCRIPT}: line (?P<line>\d{{1,7}}): {_FAILS}")),
    Row(tool="shell", category=Category.SYNTAX, line=re.compile(rf"{_SCRIPT}: (?P<line>\d{{1,7}}): {_SYNTAX}")),
    Row(tool="shell", category=Category.RUNTIME, line=_DASH),
    Row(
        tool="shell",
        category=Category.SYNTAX,
        line=re.compile(rf"(?P<file>[^\s:][^:]{{0,300}}\.zsh):(?P<line>\d{{1,7}}): {_SYNTAX}"),
    ),
    Row(
        tool="shell",
        category=Category.RUNTIME,
        line=re.compile(
            r"(?:/bin/|/usr/bin/)?(?:ba|da|z|k)?sh: (?:line )?(?:\d{1,7}: )?(?P<message>[^:\s][^:]{0,200}: "
            r"(?:command not found|not found|No such file or directory|Permission denied))$"
        ),
    ),
)  # fmt: skip
# A command of a script that a signal ended: its process id, the signal and the command. Less than sure, since what it
# printed may say why.
_SIGNALS = shaped(
    "shell-signals",
    (" Segmentation fault", " Bus error", " Aborted ", "point exception", " Illegal instruction"),
    Row(
        tool="shell",
        category=Category.RUNTIME,
        score=0.35,
        line=re.compile(
            rf"{_SCRIPT}: line (?P<line>\d{{1,7}}):\s{{1,8}}\d{{1,9}} "
            rf"(?P<message>{_SIGNAL}(?: \(core dumped\))?)(?:\s.*)?$"
        ),
    ),
    rank=1,
)
FORMATS = (_SCRIPTS, _SIGNALS)
