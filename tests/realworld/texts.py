"""Slips of the pen in languages with braces, made in the text: comments and strings are blanked out, so that only code
is broken. Each yields its candidates; which of them turns CI red, CI says."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tests.realworld.language import Maker
from tests.realworld.sites import Breakage, File, Source
from tests.realworld.slips import MIN_LENGTH, typo

COMMENTS = r"//[^\n]*|/\*[\s\S]*?\*/"
TEXT = r'"(?:\\.|[^"\\\n])*"'
FLIPPED = {"==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
RESERVED = """
break case const continue default defer double error false float func function impl import include instanceof
interface match module package range require return signed sizeof static string struct switch throw trait typedef
typeof uint64 uint8 unsigned usize where while
"""
KEYWORDS = frozenset(RESERVED.split())
New = Callable[["re.Match[str]", str], str]


@dataclass(frozen=True)
class Grammar:
    """What a language looks like, as patterns over lines of blanked code. `functions` is the line that opens one, with
    its `name`; `unused` goes below it. `imports` is a line (or name) that brings something in, `spare` a further one.
    `conditions` has the condition as `it`. `wrong_type` is what may become a text."""

    functions: str
    unused: str
    imports: str
    spare: str
    conditions: str = r"\bif \((?P<it>[^\n]+)\) \{$"
    wrong_type: str = r"(?:return|=) (?P<it>\d+)(?=;?$)"
    strings: str = TEXT
    inline: bytes = b"\0"  # where tests begin in a file


def slips_of(grammar: Grammar) -> Mapping[str, Maker]:
    """The slips of a language, by name."""

    def maker(kind: str, category: str, pattern: str, new: New) -> Maker:
        def make(source: Source) -> Iterator[Breakage]:
            for file in source.files:
                text, code = _texts(file, grammar)
                for match in re.finditer(pattern, code, re.M):
                    written = text[: match.start()] + new(match, text) + text[match.end() :]
                    line = text.count("\n", 0, match.start()) + 1
                    what = f"{file.path}:{line}: {kind.replace('-', ' ')}: {_shown(match, text, new)}"
                    if written != text:
                        yield Breakage(kind, category, what, {file.path: written.encode("latin-1")})

        return make

    return {
        "unused-import": maker("unused-import", "lint", grammar.imports, lambda m, t: _old(m, t) + grammar.spare),
        "unused-variable": maker("unused-variable", "lint", grammar.functions, _below(grammar.unused)),
        "indentation": maker("indentation", "format", r"^[ \t]+(?=\w+.*;?$)", lambda m, t: m[0] + "   "),
        "spacing": maker("spacing", "format", r"(?<=\w) (=|:=) (?=\w)", lambda m, t: m[1]),
        "missing-import": maker("missing-import", "import", grammar.imports, lambda m, t: ""),
        "misspelt-name": _misspelt(grammar, "misspelt-name", r"(?<![\w.])[a-z]\w+\b(?!\s*:)"),
        "misspelt-member": _misspelt(grammar, "misspelt-member", r"(?<=\w\.)[a-zA-Z]\w+\b"),
        "renamed-symbol": maker("renamed-symbol", "rename", grammar.functions, _renamed),
        "missing-bracket": maker("missing-bracket", "syntax", r"\)(?=;?$)", lambda m, t: ""),
        "missing-brace": maker("missing-brace", "syntax", r"(?<=[\w)]) \{$", lambda m, t: ""),
        "type-error": maker("type-error", "type", grammar.wrong_type, lambda m, t: _inner(m, t, '"' + m["it"] + '"')),
        "comparison": maker("comparison", "logic", r"(?<= )([=!]==?|[<>]=?)(?= )", lambda m, t: FLIPPED[m[1]]),
        "arithmetic": maker(
            "arithmetic", "logic", r"(?<=[\w)] )[+-](?= [\w(])", lambda m, t: "-" if m[0] == "+" else "+"
        ),
        "lost-return": maker("lost-return", "logic", r"\breturn (?=[\w.]+[(;\n])", lambda m, t: ""),
        "inverted-condition": maker("inverted-condition", "logic", grammar.conditions, _inverted),
        "swapped-arguments": maker(
            "swapped-arguments", "swap", r"(?<=\w\()(?P<a>[a-z][\w.]*), (?P<b>[a-z][\w.]*)(?=[,)])", _swapped
        ),
    }


def _texts(file: File, grammar: Grammar) -> tuple[str, str]:
    """The file with one character for each byte; and the same with blanks for all that is no code."""
    text = file.data.decode("latin-1")
    code = file.data.split(grammar.inline)[0].decode("latin-1")
    return text, re.sub(f"{COMMENTS}|{grammar.strings}", _blanked, code)


def _blanked(match: "re.Match[str]") -> str:
    """Blanks for a comment, zeros for a text; lines stay lines."""
    return re.sub(r"[^\n]", " " if match[0].startswith(("//", "/*")) else "\x00", match[0])


def _old(match: "re.Match[str]", text: str) -> str:
    return text[match.start() : match.end()]


def _shown(match: "re.Match[str]", text: str, new: New) -> str:
    """What was done, short enough for a title."""
    old, made = (" ".join(part.split())[:40] for part in (_old(match, text), new(match, text)))
    line = text[text.rfind("\n", 0, match.start()) + 1 :].split("\n", 1)[0].strip()
    done = f"{made or 'nothing'} for {old} in " if old and old != made else "in "
    return f"{done}{line[:50]}".replace("`", "'")


def _inner(match: "re.Match[str]", text: str, new: str) -> str:
    start, end = match.span("it")
    return text[match.start() : start] + new + text[end : match.end()]


def _below(line: str) -> New:
    return lambda match, text: f"{_old(match, text)}\n{line}"


def _renamed(match: "re.Match[str]", text: str) -> str:
    start, end = match.span("name")
    name = match["name"]
    new = f"{name}_of" if "_" in name else f"{name}Of"
    return text[match.start() : start] + new + text[end : match.end()]


def _inverted(match: "re.Match[str]", text: str) -> str:
    start, end = match.span("it")
    it = text[start:end]
    return _inner(match, text, it[1:] if re.fullmatch(r"![\w.()]+", it) else f"!({it})")


def _swapped(match: "re.Match[str]", text: str) -> str:
    return f"{match['b']}, {match['a']}"


def _misspelt(grammar: Grammar, kind: str, pattern: str) -> Maker:
    """One use of a name that is used elsewhere in the file too has a typo."""

    def make(source: Source) -> Iterator[Breakage]:
        for file in source.files:
            text, code = _texts(file, grammar)
            often = Counter(re.findall(r"\w+", code))
            for match in re.finditer(pattern, code):
                name = match[0]
                if len(name) < MIN_LENGTH or name in KEYWORDS or often[name] < 2:
                    continue
                new = text[: match.start()] + typo(name) + text[match.end() :]
                line = text.count("\n", 0, match.start()) + 1
                what = f"{file.path}:{line}: {typo(name)} for {name}"
                yield Breakage(kind, "name", what, {file.path: new.encode("latin-1")})

    return make
