"""Masks the values under `data` and `stringData` of Kubernetes secrets, in any layout of YAML and JSON.

A `data` key belongs to a secret if `kind: Secret` is in the same mapping: in the same column and the same list item.
The data of a ConfigMap next to it stays readable.
"""

import re

from healing.logs.secrets.mask import MASK, is_placeholder

_Q = r"\\{0,3}[\"']?"
_LEAD = re.compile(r"[ \t]*(?:[+-](?=\S|[ \t]))?[ \t]*(?:- {1,4})?")  # the sign of a diff and the dash of a list item
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
    # Possessive: a plain value keeps what it matched even if no brace closes it, so that no text is matched twice.
    r"|(?P<plain>[^\s\"'{},\\:](?:[^\"'{},\\\n:]|:(?![ \t]))*+))"
)
_IN_A_LINE = re.compile(rf"{_Q}kind{_Q}[ \t]{{0,4}}:[ \t]{{0,4}}{_Q}Secret\b")
_FLOW = re.compile(rf"{_Q}(?:stringData|data){_Q}[ \t]{{0,4}}:[ \t]{{0,4}}\{{[^{{}}\n]{{0,200000}}\}}")


def mask_manifests(text: str) -> str:
    """`text` without the values of Kubernetes secrets, with the same number of lines. Takes linear time."""
    lines = text.split("\n")
    columns = [_column(line) for line in lines]
    done = 0
    ends: dict[int, int] = {}  # column -> the line after the last mapping there that was masked
    for at, line in enumerate(lines):
        if "Secret" not in line:
            continue
        if at < ends.get(columns[at], 0):
            continue  # this mapping is masked already; it may repeat its kind
        if _KIND.match(line, columns[at]):
            first, last = _mapping(lines, columns, at, done)
            _mask_mapping(lines, columns, first, last, columns[at])
            done, ends[columns[at]] = at, last
        elif _IN_A_LINE.search(line):
            lines[at] = _FLOW.sub(lambda flow: _mask_pairs(flow[0]), line)
    return "\n".join(lines)


def _column(line: str) -> int:
    lead = _LEAD.match(line)
    return lead.end() if lead else 0


def _starts_item(line: str, column: int) -> bool:
    return "- " in line[:column]


def _mapping(lines: list[str], columns: list[int], at: int, done: int) -> tuple[int, int]:
    """The first line of the mapping with the key on line `at`, and the line after its last one."""
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
        lines[at - 1] = lines[at - 1][: data.start("rest")] + _mask_pairs(data["rest"])
        while at < last and (columns[at] > column or not lines[at].strip()):
            lines[at] = _mask_entry(lines[at], columns[at])
            at += 1


def _mask_entry(line: str, column: int) -> str:
    """Masks one line below `data`, which is an entry or part of a multi-line value."""
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
        return line[:start] + _mask_pairs(line[start:])
    return line[: value.start("word")] + MASK + line[value.end("word") :]


def _mask_pairs(text: str) -> str:
    """Masks the values of a mapping in braces; text without a brace stays as it is."""
    parts, at = [], 0
    for pair in _PAIR.finditer(text) if "{" in text else ():
        word = "quoted" if pair["quoted"] else "plain"
        if not is_placeholder(pair[word].rstrip()):
            parts.append(text[at : pair.start(word)] + MASK)
            at = pair.end(word)
    return "".join((*parts, text[at:]))
