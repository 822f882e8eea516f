"""Passwords in rows, whose column alone is named: `INSERT INTO users (name, password) VALUES …`, CSV, psql."""

import re
from collections.abc import Iterable, Iterator

from healing.logs.secrets.mask import MASK, is_placeholder
from healing.logs.secrets.values import is_mixed

_INSERT = re.compile(
    r"\binsert into [\w.`\"\[\]]{1,120}\s{0,4}\("
    r"(?P<columns>[\w\s,.`\"\[\]]{1,1000})\)\s{0,10}values?\s{0,10}(?P<rows>\((?:'(?:[^'\\\n]|''|\\.){0,1000}+'|\n(?=\s{0,40}[(,])|[^';\n]){0,20000}+)",
    re.IGNORECASE,
)
_OF_A_PASSWORD = re.compile(
    r"pass(?:word|wd|phrase)?$|pwd$|secret$|(?:api_?|private_?|access_?)key$|(?:access|auth|api|refresh)_?token$|^token$"
)
_VALUE = re.compile(
    r"(?P<quote>')(?P<text>(?:[^'\\\n]|''|\\.){0,1000}+)'|(?P<double>\")(?P<other>[^\"\n]{0,1000}+)\"|(?P<sign>[(),])|[^'\"(),]+|['\"]"
)
# The name of a column, in a line that has several, apart by one sign.
_COLUMN = re.compile(
    r"(?:pass(?:word|wd|wort|phrase)?|pwd|kennwort|secret|token|api[ _-]?key)(?=\"?[ \t]*(?:[,;|\t\r\n]|\Z))"
)
_IS_COLUMN = re.compile(rf"[ \t]*\"?(?:[a-z]{{2,10}}[ _-])?{_COLUMN.pattern}")
_NAME = re.compile(r"[ \t]*\"?[\w .-]{0,30}\"?[ \t]*\r?$")
_CELL = re.compile(r"[ \t]*\"?(?P<word>[^\s\"]{6,200})\"?[ \t]*\r?$")
_RULE = re.compile(r"[-+=| :]{3,1000}$")
_ROWS = 500
_MIN_LENGTH = 4


def mask_rows(text: str) -> str:
    """`text` without the values in columns that are named like a secret, of SQL's inserts and of tables."""
    if "nsert into" in text or "NSERT INTO" in text:
        text = _INSERT.sub(_inserted, text)
    headers = list(dict.fromkeys(_named_lines(text.lower())))
    return _of_tables(text, headers) if headers else text


def _named_lines(lowered: str) -> Iterator[int]:
    """The number of the line of each name of a column, counted on from the name before it."""
    number = counted = 0
    for name in _COLUMN.finditer(lowered):
        number += lowered.count("\n", counted, name.start())
        counted = name.start()
        yield number


def _of_tables(text: str, headers: Iterable[int]) -> str:
    """`text` without the cells below those lines of `headers`, in ascending order, that are the head of a table."""
    lines = text.split("\n")
    done = 0
    for header in headers:
        if header < done:
            continue
        sign = next((sign for sign in "|\t;," if sign in lines[header]), "")
        cells = lines[header].split(sign) if sign else []
        column = next((number for number, cell in enumerate(cells) if _IS_COLUMN.match(cell.lower())), None)
        if column is not None and all(map(_NAME.match, cells)):
            done = _mask_column(lines, header + 1, column, sign)
    return "\n".join(lines)


def _mask_column(lines: list[str], first: int, column: int, sign: str) -> int:
    """The line after the last one whose cell in `column` was masked, or looked at."""
    count = lines[first - 1].count(sign)
    last = min(len(lines), first + _ROWS)
    for at in range(first, last):
        if lines[at].count(sign) == count:
            lines[at] = _without_cell(lines[at].split(sign), column, sign)
        elif not _RULE.match(lines[at].strip()):
            return at
    return last


def _without_cell(cells: list[str], column: int, sign: str) -> str:
    cell = _CELL.match(cells[column])
    if cell and is_mixed(cell["word"]):
        start, end = cell.span("word")
        cells[column] = cells[column][:start] + MASK + cells[column][end:]
    return sign.join(cells)


def _inserted(insert: re.Match[str]) -> str:
    names = [name.strip(' \t\r\n`"[]').lower() for name in insert["columns"].split(",")]
    secret = {number for number, name in enumerate(names) if _OF_A_PASSWORD.search(name)}
    if not secret:
        return insert[0]
    head = insert[0][: insert.start("rows") - insert.start()]
    return head + "".join(_masked(insert["rows"], secret))


def _masked(rows: str, secret: set[int]) -> list[str]:
    """The parts of `rows`, those in the columns `secret` masked."""
    parts: list[str] = []
    depth = column = 0
    for value in _VALUE.finditer(rows):
        if value["sign"] == "(":
            depth, column = depth + 1, column if depth else 0
        elif value["sign"] == ")":
            depth -= 1
        elif value["sign"] == ",":
            column += depth == 1
        word, quote = value["text"] or value["other"], value["quote"] or value["double"]
        is_secret = word and depth == 1 and column in secret and len(word) >= _MIN_LENGTH and not is_placeholder(word)
        parts.append(f"{quote}{MASK}{quote}" if is_secret else value[0])
    return parts
