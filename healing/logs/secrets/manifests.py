"""The values of Kubernetes secrets, in any shape of YAML and JSON: what `data` and `stringData` hold.

`data` belongs to the secret whose `kind` stands beside it: in the same column, in the same item of a list. The data of
a ConfigMap next to it stays readable.
"""

import re
from collections.abc import Iterator

from healing.logs.secrets.mask import MASK, is_placeholder

_Q = r"\\{0,3}[\"']?"
_LEAD = re.compile(r"[ \t]*(?:[+-](?=\S|[ \t]))?[ \t]*(?:- {1,4})?")  # a diff's sign, and a list's
_KIND = re.compile(rf"{_Q}kind{_Q}[ \t]{{0,4}}:[ \t]{{0,4}}{_Q}Secret{_Q},?\s*(?:#.*)?$")
_DATA = re.compile(rf"{_Q}(?:stringData|data){_Q}[ \t]{{0,4}}:(?P<rest>.*)$", re.DOTALL)
_ENTRY = re.compile(rf"{_Q}[\w./-]{{1,200}}{_Q}[ \t]{{0,4}}:(?:[ \t]+|$)(?P<rest>.*)$", re.DOTALL)
_BLOCK = re.compile(r"(?:[|>][+-]?\d?|[{\[])?[ \t]*(?:#.*)?$")
_VALUE = re.compile(
    r"(?P<quote>\\{0,3}[\"']?)(?P<word>[^\s\"'#,{}][^\"'\n]*?)(?P=quote)(?P<after>,?\s{0,80}(?: #.*)?)$"
)
_PAIR = re.compile(
    rf"(?<![\w./-]){_Q}[\w./-]{{1,200}}{_Q}[ \t]{{0,4}}:[ \t]{{0,4}}"
    r"(?:(?P<quote>\\{0,3}[\"'])(?P<quoted>[^\"'{},\\\n]++)(?=(?P=quote)[ \t]{0,4}[,}])"
    # What a plain word reads it takes, closed or not: so no text is read twice.
    r"|(?P<plain>[^\s\"'{},\\:](?:[^\"'{},\\\n:]|:(?![ \t]))*+))"
)
_IN_A_LINE = re.compile(rf"{_Q}kind{_Q}[ \t]{{0,4}}:[ \t]{{0,4}}{_Q}Secret\b")
_FLOW = re.compile(rf"{_Q}(?:stringData|data){_Q}[ \t]{{0,4}}:[ \t]{{0,4}}\{{[^{{}}\n]{{0,200000}}\}}")


def mask_manifests(text: str) -> str:
    """`text` without the values of the secrets that it declares; the lines stay as many. Linear in the text."""
    lines = text.split("\n")
    columns = [_column(line) for line in lines]
    done = 0
    ends: dict[int, int] = {}  # column -> the line after the last mapping there that was masked
    for at, line in enumerate(lines):
        if "Secret" not in line:
            continue
        if at < ends.get(columns[at], 0):
            continue  # It belongs to a mapping that is masked already, however often that one says its kind.
        if _KIND.match(line, columns[at]):
            first, last = _mapping(lines, columns, at, done)
            _mask_mapping(lines, columns, first, last, columns[at])
            done, ends[columns[at]] = at, last
        elif _IN_A_LINE.search(line):
            lines[at] = _FLOW.sub(lambda flow: _pairs(flow[0]), line)
    return "\n".join(lines)


def _column(line: str) -> int:
    lead = _LEAD.match(line)
    return lead.end() if lead else 0


def _starts_item(line: str, column: int) -> bool:
    return "- " in line[:column]


def _mapping(lines: list[str], columns: list[int], at: int, done: int) -> tuple[int, int]:
    """The first line of the mapping that has the key in line `at`, and the line after its last."""
    column, first, last = columns[at], at, at + 1
    while first > done and not (columns[first] == column and _starts_item(lines[first], column)):
        if not _belongs(lines[first - 1], columns[first - 1], column):
            break
        first -= 1
    while last < len(lines) and _belongs(lines[last], columns[last], column):
        if columns[last] == column and _starts_item(lines[last], column):
            break
        last += 1
    return first, last


def _belongs(line: str, own: int, column: int) -> bool:
    return not line.strip() or line.lstrip().startswith("#") or (own >= column and not line.startswith("---"))


def _mask_mapping(lines: list[str], columns: list[int], first: int, last: int, column: int) -> None:
    at = first
    while at < last:
        data = _DATA.match(lines[at], column) if columns[at] == column else None
        at += 1
        if data is None:
            continue
        lines[at - 1] = lines[at - 1][: data.start("rest")] + _pairs(data["rest"])
        while at < last and (columns[at] > column or not lines[at].strip()):
            lines[at] = _without_value(lines[at], columns[at])
            at += 1


def _without_value(line: str, column: int) -> str:
    """One line below `data`: an entry, or a part of a value that has several lines."""
    body = line[column:]
    if not body.strip() or body.lstrip().startswith(("#", "{{", "}")):
        return line
    entry = _ENTRY.match(body)
    if entry is None:
        return line if is_placeholder(body.strip()) else line[:column] + MASK + "\r" * body.endswith("\r")
    start = column + entry.start("rest")
    if _BLOCK.match(entry["rest"].rstrip("\r")):
        return line
    value = _VALUE.match(line, start)
    if value is None or is_placeholder(value["word"]):
        return line[:start] + _pairs(line[start:])
    return line[: value.start("word")] + MASK + line[value.end("word") :]


def _pairs(text: str) -> str:
    """A mapping in braces without its values."""
    return "".join(_masked_pairs(text)) if "{" in text else text


def _masked_pairs(text: str) -> Iterator[str]:
    at = 0
    for pair in _PAIR.finditer(text):
        word = "quoted" if pair["quoted"] else "plain"
        if not is_placeholder(pair[word].rstrip()):
            yield text[at : pair.start(word)] + MASK
            at = pair.end(word)
    yield text[at:]
