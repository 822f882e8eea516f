"""Ways in which people break code, each a change of one file's text; None where the file gives no occasion for it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from benchmarks.free.sources import ESLINT_CONFIG, Files, Source

Change = Callable[[str, Random], str | None]
IDENTIFIER = re.compile(r"\b[a-z]\w*[a-zA-Z]\w{2,}\b")
RESERVED = """
return function const throw export import default class extends static async await break continue switch
while package func string error struct interface range defer false match where pub trait impl self crate
super typeof undefined instanceof require module exports else elif except finally raise lambda assert global
yield
"""
KEYWORDS = frozenset(RESERVED.split())
ENDINGS = {"Python": ".py", "JavaScript": ".js", "TypeScript": ".ts", "Go": ".go", "Rust": ".rs"}


@dataclass(frozen=True)
class Broken:
    """One broken repository: what was done to which file."""

    source: Source
    category: str
    file: str
    files: Files


def breakages(source: Source, seed: int) -> Iterator[Broken]:
    """One breakage of each kind that the language knows, in a file that chance chooses."""
    kinds = {**EVERYWHERE, **OWN.get(source.language, {})}
    ending = ENDINGS[source.language]
    for category, change in kinds.items():
        random = Random(f"{seed} {source.package} {source.commands} {category}")
        files = sorted(path for path in source.files if path.endswith(ending) and path != ESLINT_CONFIG)
        for file in random.sample(files, len(files)):
            text = change(source.files[file], random)
            if text is not None and text != source.files[file]:
                yield Broken(source, category, file, {**source.files, file: text})
                break


def code_lines(text: str) -> list[tuple[int, str]]:
    """(number, line) of lines that hold code and no comment."""
    lines = text.split("\n")
    return [
        (n, line) for n, line in enumerate(lines) if line.strip() and not re.match(r"\s*(?://|/\*|\*|#|\"\"\")", line)
    ]


def misspelt(text: str, random: Random) -> str | None:
    """Two letters of a name swapped where it is used."""
    words = [(n, m) for n, line in code_lines(text) for m in IDENTIFIER.finditer(line.split("//")[0])]
    often = Counter(m.group() for _, m in words)
    uses = [(n, m) for n, m in words if often[m.group()] > 2 and len(m.group()) > 4 and m.group() not in KEYWORDS]
    if not uses:
        return None
    number, match = random.choice(uses[len(uses) // 2 :])
    word, at = match.group(), random.randrange(1, len(match.group()) - 2)
    wrong = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return _with_line(text, number, lambda line: line[: match.start()] + wrong + line[match.end() :])


def indented(text: str, random: Random) -> str | None:
    """A line moved to the right, as after a paste."""
    lines = [(n, line) for n, line in code_lines(text) if line[0] in " \t" and line.rstrip()[-1] in ";}),"]
    return _with_line(text, random.choice(lines)[0], lambda line: f"   {line}") if lines else None


def without_import(text: str, random: Random) -> str | None:
    """A line that brings a name in, lost."""
    found = [
        n
        for n, line in code_lines(text)
        if re.match(r"(?:use \w|import \{|import \w|from \w|const \{?\s?\w+.*require\(|\t\"\w)", line)
        and line.count("(") < 2
    ]
    return _with_line(text, random.choice(found), lambda _: None) if found else None


def _added(pattern: str, line: str, where: int = 1) -> Change:
    """A change that adds a line after (or, with 0, before) one that fits `pattern`."""

    def change(text: str, random: Random) -> str | None:
        fit = [n for n, found in code_lines(text) if re.match(pattern, found)]
        if not fit:
            return None
        lines = text.split("\n")
        at = random.choice(fit) + where
        return "\n".join([*lines[:at], line, *lines[at:]])

    return change


def _replaced(pattern: str, new: str) -> Change:
    def change(text: str, random: Random) -> str | None:
        fit = [n for n, line in code_lines(text) if re.search(pattern, line)]
        return _with_line(text, random.choice(fit), lambda line: re.sub(pattern, new, line, count=1)) if fit else None

    return change


def _with_line(text: str, number: int, change: Callable[[str], str | None]) -> str:
    lines = text.split("\n")
    new = change(lines[number])
    return "\n".join([*lines[:number], *([] if new is None else [new]), *lines[number + 1 :]])


EVERYWHERE: dict[str, Change] = {"misspelt name": misspelt, "format": indented, "missing import": without_import}
OWN: dict[str, dict[str, Change]] = {
    "Python": {
        "unused import": _added(r"from \w+ import \w+$", "import textwrap"),
        "old style": _replaced(r"\bis not None\b", "!= None"),
    },
    "JavaScript": {
        "unused variable": _added(r"\s*(?:const|let) .*[^{(,=]$", "  const leftover = 1"),
        "loose comparison": _replaced(r" === ", " == "),
        "let for const": _replaced(r"^(\s+)const (\w+) =", r"\1let \2 ="),
    },
    "TypeScript": {
        "unused variable": _added(r"\s+const \w+ = [^{(]*$", "  const leftover = 1"),
        "wrong case": _replaced(r"\.(length|slice|push|includes)\b", r".\1s"),
    },
    "Go": {
        "unused import": _replaced(r"^import \($", 'import (\n\t"os/signal"'),
        "unused variable": _added(r"\t\w+ := .*[^{(]$", "\tleftover := 1"),
        "short result": _replaced(r"^(\s+return )(.+), nil$", r"\1\2"),
    },
    "Rust": {
        "borrow lost": _replaced(r"&mut self\b", "&self"),
        "wrong method": _replaced(r"\.(\w{3,})\(\)", r".\1s()"),
        "mutability lost": _replaced(r"\blet mut ", "let "),
    },
}
