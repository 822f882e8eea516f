"""import-linter: the import chains below a broken contract; the place is the first import of a chain."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding
from healing.logs.lines import Line
from healing.logs.row_blocks import RowBlock, block_format
from healing.model import Category

_RULE = re.compile(r"(?P<rule>[\w.]{1,300} is not allowed to import [\w.]{1,300}):$")
_IMPORT = re.compile(
    r"(?P<mark>-)?\s{1,6}(?P<module>[\w.]{1,300}) -> (?P<other>[\w.]{1,300})(?: \(l\.(?P<line>\d{1,7})[^)]{0,200}\))?$"
)


def _chains(lines: list[Line]) -> Iterable[Finding]:
    rule = _RULE.match(lines[0].text)
    chain: list[Line] = []
    for line in lines[1:]:
        match = _IMPORT.match(line.text)
        if chain and not (match and not match["mark"]):
            yield _finding(rule["rule"] if rule else "", chain)
            chain = []
        if match and (match["mark"] or chain):
            chain.append(line)
    if chain:
        yield _finding(rule["rule"] if rule else "", chain)


def _finding(rule: str, chain: list[Line]) -> Finding:
    steps = [match for line in chain if (match := _IMPORT.match(line.text))]
    way = " -> ".join([steps[0]["module"], *(step["other"] for step in steps)])
    return Finding(
        tool="import-linter",
        code="import-linter",
        category=Category.IMPORT,
        message=f"{rule}: {way}",
        file=steps[0]["module"].replace(".", "/") + ".py",
        line=int(steps[0]["line"]) if steps[0]["line"] else None,
        log_line=chain[0].number,
        span=(chain[0].number, chain[-1].number),
        excerpt="\n".join(line.text for line in chain),
    )


FORMAT = block_format(
    "import-linter",
    (" is not allowed to import ",),
    RowBlock(begins=_RULE, ends=re.compile(r"[^\s-]|-{3}|##\["), build=_chains, most=2_000),
)
