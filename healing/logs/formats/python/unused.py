"""Vulture, deptry and pyflakes: what nothing uses, or nothing defines."""

import re

from healing.logs.shapes import Row, shaped

_FILE = r"(?P<file>[^\s:][^:]{0,400}\.(?:pyi?|pyx|ipynb)):(?P<line>\d{1,9})"

FORMAT = shaped(
    "unused",
    (
        "% confidence)",
        ": DEP0",
        " but unused",
        ": local variable '",
        "undefined name '",
        "of unused '",
        "from star imports",
    ),
    Row(
        tool="vulture",
        line=re.compile(
            rf"{_FILE}: (?P<message>(?:unused \w{{1,20}} '|unreachable code after |unsatisfiable |redundant ).{{1,300}}"
            r" \(\d{1,3}% confidence\))"
        ),
    ),
    Row(
        tool="deptry",
        line=re.compile(rf"{_FILE}(?::(?P<column>\d{{1,9}}))?: (?P<code>DEP\d{{3}}) (?P<message>\S.{{1,600}})$"),
    ),
    Row(
        tool="deptry",
        line=re.compile(r"(?P<file>[\w./-]{1,200}\.(?:toml|txt|cfg|in)): (?P<code>DEP\d{3}) (?P<message>\S.{1,600})$"),
    ),
    Row(
        tool="pyflakes",
        line=re.compile(
            rf"{_FILE}:(?P<column>\d{{1,9}}):? (?P<message>(?:'.{{1,300}}' imported but unused"
            r"|redefinition of unused '.{1,300}|undefined name '.{1,300}|local variable '.{1,300}"
            r"|'.{1,300}' may be undefined, or defined from star imports: .{1,600}))$"
        ),
    ),
)
