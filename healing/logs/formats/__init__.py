"""Every format Heal can read, in one explicit list: a new tool is one file here, one line below, and its samples."""

from healing.logs.format import Format
from healing.logs.formats import annotations, black, generic, mypy, pytest, ruff, traceback, unittest

FORMATS: tuple[Format, ...] = (
    pytest.FORMAT,
    unittest.FORMAT,
    mypy.FORMAT,
    ruff.FORMAT,
    black.FORMAT,
    traceback.FORMAT,
    annotations.FORMAT,
    generic.FORMAT,
)
