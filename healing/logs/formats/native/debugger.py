"""Crashes as gdb and Fortran's runtime print them: the signal, and the first frame of the program's own code."""

import re

from healing.logs.shapes import RowPair, shaped
from healing.model import Category

FORMAT = shaped(
    "debugger",
    ("eceived signal SIG", "terminated with signal SIG"),
    RowPair(
        tool="gdb",
        category=Category.RUNTIME,
        first=re.compile(
            r"(?:Program|Thread \d{1,6}.{0,120}) (?:received|terminated with) signal"
            r" (?P<message>SIG[A-Z]{2,8}[,:] .{3,80}?)\.$"
        ),
        then=re.compile(
            r"(?!.{0,500}(?:/sysdeps/|nptl/|\./(?:stdlib|assert|signal|libio|string|csu)/))"
            r"(?:.{1,500} |\s{1,8})at (?P<file>[^\s:]{1,300}):(?P<line>\d{1,7})$"
        ),
        reach=40,
        alone=True,
    ),
)
