"""Hardware: Verilator, ModelSim and Questa, Vivado, GHDL."""

import re

from healing.logs.format import at_line
from healing.logs.shapes import Row, shaped
from healing.model import Category

_FILE = r"(?P<file>(?:[A-Za-z]:)?[^\s:()\[\]][^:()\[\]]{0,300})"

FORMAT = shaped(
    "hardware",
    ("%Error", "%Warning", "** Error", "** Warning", "ERROR: [", "CRITICAL WARNING: [", *at_line(".vhd", ".vhdl")),
    Row(
        tool="verilator",
        category=Category.COMPILE,
        line=re.compile(
            rf"%(?P<level>Error|Warning)(?:-(?P<code>\w{{2,40}}))?: {_FILE}:(?P<line>\d{{1,7}}):(?:"
            rf"(?P<column>\d{{1,6}}):)? (?P<message>\S.{{0,600}})$"
        ),
    ),
    Row(
        tool="modelsim",
        category=Category.COMPILE,
        line=re.compile(
            rf"\*\* (?P<level>Error|Warning)(?: \(suppressible\))?: (?:\((?P<code>v\w{{2,6}}-\d{{1,6}})\) )?"
            rf"(?:\*\* while .{{1,80}}: )?"
            rf"{_FILE}\((?P<line>\d{{1,7}})(?:\.(?P<column>\d{{1,6}}))?\): (?:\(v\w{{2,6}}-\d{{1,6}}\) )?"
            rf"(?P<message>\S.{{0,600}})$"
        ),
    ),
    Row(
        tool="vivado",
        category=Category.COMPILE,
        line=re.compile(
            rf"(?P<level>ERROR|CRITICAL WARNING|WARNING): \[(?P<code>\w{{2,20}} [\d-]{{3,12}})\] "
            rf"(?P<message>\S.{{0,600}}?) "
            rf"\[\"?{_FILE}\"?:(?P<line>\d{{1,7}})\]$"
        ),
    ),
    Row(
        tool="ghdl",
        category=Category.COMPILE,
        line=re.compile(
            rf"{_FILE}:(?P<line>\d{{1,7}}):(?P<column>\d{{1,6}}):(?P<level>error|warning): (?P<message>\S.{{0,600}})$"
        ),
    ),
)
