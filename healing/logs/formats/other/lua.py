"""Lua: the interpreter, luacheck, busted, Luau."""

import re

from healing.logs.format import at_line
from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_FILE = r"(?P<file>[^\s:()][^:()]{0,300}\.(?:luau?|rockspec))"
_AT = rf"{_FILE}:(?P<line>\d{{1,7}})"

FORMAT = shaped(
    "lua",
    (*at_line(".lua", ".rockspec"), ".luau(", ".lua(", "Failure → ", "Failure ->", "Error → ", "Error ->"),
    Row(
        tool="luacheck",
        line=re.compile(
            rf"\s{{0,8}}{_AT}:(?P<column>\d{{1,6}})(?:-\d{{1,6}})?: (?:\((?P<code>[WE]\d{{3}})\) )?"
            rf"(?P<message>\S.{{0,400}})$"
        ),
    ),
    RowPair(
        tool="busted",
        category=Category.TEST,
        first=re.compile(r"(?:Failure|Error) (?:→|->) (?P<file>[^\s@]{1,300}) @ (?P<line>\d{1,7})$"),
        between=(re.compile(r"(?!\S{1,300}\.lua:)(?P<test>\S.{0,300})$"),),
        then=re.compile(rf"{_AT}: (?P<message>\S.{{0,600}})$"),
        reach=5,
        alone=True,
    ),
    Row(
        tool="lua",
        category=Category.RUNTIME,
        line=re.compile(rf"(?:lua(?:jit|c)?(?:[\d.]{{1,5}})?|error|ERROR): {_AT}: (?P<message>\S.{{0,600}})$"),
    ),
    Row(
        tool="luau",
        category=Category.TYPE,
        line=re.compile(
            rf"{_FILE}\((?P<line>\d{{1,7}}),(?P<column>\d{{1,6}})\): (?P<code>\w{{3,40}}): (?P<message>\S.{{0,600}})$"
        ),
    ),
)
