"""flake8 and pycodestyle in their default and pylint forms, with plugins' codes. Ruff's messages begin differently."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, at_line, line_format, number
from healing.logs.lines import Line
from healing.model import Category

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}\.(?:pyi?|pyx|ipynb)):(?P<line>\d{1,9})"
_DEFAULT = re.compile(rf"{_FILE}:(?P<column>\d{{1,9}}): (?P<code>[A-Z]{{1,4}}\d{{2,5}}) (?P<message>\S.*)$")
_PYLINT = re.compile(rf"{_FILE}: \[(?P<code>[A-Z]{{1,4}}\d{{2,5}})\] (?P<message>\S.*)$")
_RUFFS = re.compile(r"[A-Z`\[]")  # the beginning of all of Ruff's messages; plugins with the same one are read as Ruff
# Codes of plugins that Ruff has no rules of: flake8-import-order, -black, -rst-docstrings, darglint, wemake, hacking.
PLUGINS = re.compile(r"I[12]\d\d|BLK\d+|RST\d+|DAR\d+|WPS\d+|H\d{3}|CFQ\d+|ECE\d+|TAE\d+|ABS\d+|SC\d+")


def _build(groups: Mapping[str, Any], line: Line) -> Finding | None:
    code, message = groups["code"], groups["message"]
    if code.startswith("DEP"):  # deptry's have a format of their own
        return None
    if _RUFFS.match(message) and code != "E999" and not PLUGINS.fullmatch(code):
        return None
    is_black = code.startswith("BLK")
    return Finding(
        tool="black" if is_black else "flake8",
        code=code,
        category=Category.FORMAT if is_black else category(code),
        message=message,
        file=groups["file"],
        line=number(groups["line"]),
        column=number(groups.get("column")),
        log_line=line.number,
        excerpt=line.text,
    )


def category(code: str) -> Category:
    """The category of a code of flake8 or its plugins."""
    if code in ("E999", "E902"):
        return Category.SYNTAX
    if code in ("E101", "W191") or code.startswith("E11"):
        return Category.INDENTATION
    return Category.SECURITY if re.fullmatch(r"S\d{3}", code) else Category.LINT


FORMAT = line_format("flake8", at_line(".py", ".pyi", ".pyx", ".ipynb"), (_DEFAULT, _build), (_PYLINT, _build))
