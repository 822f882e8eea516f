"""Masks passwords in tables, where only the column has a name: `INSERT INTO users (name, password) …`, CSV, psql."""

import re
from collections.abc import Iterable, Iterator

from healing.logs.secrets.mask import MASK, is_placeholder
from healing.logs.secrets.values import is_mixed, is_tangled

_INSERT = re.compile(
    r"\binsert into [\w.`\"\[\]]{1,120}\s{0,4}\("
    r"(?P<columns>[\w\s,.`\"\[\]]{1,1000})\)\s{0,10}values?\s{0,10}(?P<rows>\((?:'(?:[^'\\\n]|''|\\.){0,1000}+'|\n(?=\s{0,40}[(,])|[^';\n]){0,20000}+)",
    re.IGNORECASE,
)
_SECRET_COLUMN = re.compile(
    r"pass(?:word|wd|phrase)?$|pwd$|secret$|(?:api_?|private_?|access_?)key$|(?:access|auth|api|refresh)_?token$|^token$"
)
_VALUE = re.compile(
    r"(?P<quote>')(?P<text>(?:[^'\\\n]|''|\\.){0,1000}+)'|(?P<double>\")(?P<other>[^\"\n]{0,1000}+)\"|(?P<sign>[(),])|[^'\"(),]+|['\"]"
)
# The name of a column, followed by a separator or the end of the line.
_COLUMN = re.compile(
    r"(?:pass(?:word|wd|wort|phrase)?|pwd|kennwort|secret|token|api[ _-]?key)(?=\*{0,2}\"?[ \t]*(?:[,;|\t\r\n]|\Z))"
)
_IS_COLUMN = re.compile(rf"[ \t*]*\"?(?:[a-z]{{2,10}}[ _-])?{_COLUMN.pattern}")
_NAME = re.compile(r"[ \t]*\"?[\w .*/()&-]{0,30}\"?[ \t]*\r?$")
# Columns of a list of accounts: where one logs in, and as whom. A test's table of examples has no machines.
_PLACE = re.compile(r"\W*(?:host|server|device|machine|system|service|site|url|ip|addr|printer|router|switch|database)")
_USER = re.compile(r"\W*(?:user|login|account|admin|name$)")
_PLAIN = re.compile(
    r"(?!(?:yes|no|n/?a|none|unknown|required|optional|disabled|enabled|default)\b)(?=[^A-Z]{0,40}[A-Z])[\w.!@#$%^&*+?/-]{6,60}$",
    re.IGNORECASE,
)
_CELL = re.compile(r"[ \t]*\"?(?P<word>[^\s\"]{6,200})\"?[ \t]*\r?$")
_BORDER = re.compile(r"[-+=| :]{3,1000}$")
_MAX_ROWS = 500
_MIN_LENGTH = 4


def mask_rows(text: str) -> str:
    """`text` without the values in columns that are named like a secret, in SQL inserts and in tables."""
    if "nsert into" in text or "NSERT INTO" in text:
        text = _INSERT.sub(_mask_insert, text)
    headers = list(dict.fromkeys(_header_candidates(text.lower())))
    return _mask_tables(text, headers) if headers else text


def _header_candidates(lowered: str) -> Iterator[int]:
    """The line number of each column name, in ascending order; line breaks are counted once."""
    number = counted = 0
    for name in _COLUMN.finditer(lowered):
        number += lowered.count("\n", counted, name.start())
        counted = name.start()
        yield number


def _mask_tables(text: str, headers: Iterable[int]) -> str:
    """`text` without the secret cells below those of the lines `headers`, ascending, that are a table's header."""
    lines = text.split("\n")
    done = 0
    for header in headers:
        if header < done:
            continue
        separator = next((one for one in "|\t;," if one in lines[header]), "")
        cells = lines[header].split(separator) if separator else []
        column = next((number for number, cell in enumerate(cells) if _IS_COLUMN.match(cell.lower())), None)
        if column is not None and all(map(_NAME.match, cells)):
            names = [cell.lower().strip(' \t"*') for cell in cells]
            of_accounts = any(map(_PLACE.match, names)) and any(map(_USER.match, names))
            done = _mask_column(lines, header + 1, column, separator, _PLAIN if of_accounts else None)
    return "\n".join(lines)


def _mask_column(lines: list[str], first: int, column: int, separator: str, plain: re.Pattern[str] | None) -> int:
    """Masks the cells of `column` in place, from the line `first` on: passwords, and words that match `plain`. Returns
    the line after the table's last row."""
    count = lines[first - 1].count(separator)
    last = min(len(lines), first + _MAX_ROWS)
    for at in range(first, last):
        if lines[at].count(separator) == count:
            cells = lines[at].split(separator)
            cell = _CELL.match(cells[column])
            word = cell["word"] if cell else ""
            if cell and (is_mixed(word) or is_tangled(word) or (plain and plain.match(word))):
                start, end = cell.span("word")
                cells[column] = cells[column][:start] + MASK + cells[column][end:]
                lines[at] = separator.join(cells)
        elif not _BORDER.match(lines[at].strip()):
            return at
    return last


def _mask_insert(insert: re.Match[str]) -> str:
    names = [name.strip(' \t\r\n`"[]').lower() for name in insert["columns"].split(",")]
    secret = {number for number, name in enumerate(names) if _SECRET_COLUMN.search(name)}
    if not secret:
        return insert[0]
    head = insert[0][: insert.start("rows") - insert.start()]
    return head + "".join(_masked_parts(insert["rows"], secret))


def _masked_parts(rows: str, secret: set[int]) -> list[str]:
    """The parts of the values `rows`, with those in the columns `secret` masked."""
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
