"""Makes untrusted text safe to post: no mentions, references, images, HTML, links, hidden characters or forged marks.

Everything that a model, a log, a path or a person wrote goes through one of `prose`, `code`, `block`, `label`. GitHub
finds mentions and `#1` in the rendered text, so escaping them in Markdown is not enough: `@` and `#` become their
full-width forms. Code keeps its characters, because GitHub finds no mentions there.
"""

import re
import unicodedata

from healing.logs.wording import shortened

MAX_COMMENT = 60_000  # GitHub's limit is 65,536 characters, which it counts differently in different places
_URL = re.compile(r"(?:[A-Za-z0-9+.-]{0,20}://|www\.|mailto:)[^\s`]*", re.IGNORECASE)
_PIECE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_ESCAPED = re.compile(r"([\\`*_\[\]~|$])")
# The start of a list or a rule, and of commands of other bots, which read the Markdown source.
_STARTS_BLOCK = re.compile(r"^(?:[-+=](?=[\s=-]|$)|\d{1,9}(?=[.)])|/(?=[A-Za-z]))")
# Cyrillic and Greek letters that look like Latin ones, next to a Latin letter, which occurs in no real word.
_LOOKALIKE = "АВЕЅІЈКМНОРСТУХаеоресухіјѕһԁԛԝЬѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧο"
_MIXED = re.compile(rf"(?<=[A-Za-z])[{_LOOKALIKE}]+|[{_LOOKALIKE}]+(?=[A-Za-z])")
_ISSUE = re.compile(r"(GH)-(?=\d)", re.IGNORECASE)
_BRACKETS = re.compile(r"\[([^\[\]]{0,60})\]")
_SKIPS = re.compile(r"skip|(?<![a-z])ci(?![a-z])", re.IGNORECASE)
_BARE_SKIP = re.compile(r"\b(no(?=_ci\b)|skip(?=-checks\b))[_-]", re.IGNORECASE)


def shown(text: str) -> str:
    """Text with hidden and disguised characters as ⟨U+202E⟩, without terminal colours and without Heal's marks."""
    text = _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).replace("heal:v1", "heal·v1")
    text = _MIXED.sub(lambda found: "".join(map(_named, found[0])), text)
    return "".join(char if _visible(char) else _named(char) for char in text)


def _named(char: str) -> str:
    return f"⟨U+{ord(char):04X}⟩"


def hidden_in(text: str) -> tuple[str, ...]:
    """The hidden and the disguised characters of a text, as U+202E, in order of code point."""
    disguised = set("".join(_MIXED.findall(text)))
    return tuple(f"U+{ord(char):04X}" for char in sorted(set(text)) if char in disguised or not _visible(char))


def _visible(char: str) -> bool:
    if char in "\n\t" or " " <= char <= "~":
        return True
    # Cc control, Cf format (bidi, zero width, tags), Cs surrogate, Co private, Cn unassigned, Zl/Zp separators.
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return False
    return char not in "\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5\u2800" and not "\ufe00" <= char <= "\ufe0f"


def prose(text: str, most: int = 1500) -> str:
    """Untrusted text for inside a paragraph: a single line, in which inline code stays code."""
    flat = cut(" ".join(shown(text).split()), most)
    parts: list[str] = []
    at = 0
    for found in _PIECE.finditer(flat):
        parts += [_plain(flat[at : found.start()]), code(found.group(2), most)]
        at = found.end()
    done = _apart([*parts, _plain(flat[at:])])
    # An entity for the first character keeps it from starting a list or rule, and is displayed as that character.
    return _STARTS_BLOCK.sub(lambda start: "".join(f"&#{ord(char)};" for char in start.group(0)), done)


def plain(text: str, most: int = 1500) -> str:
    """Untrusted text for places without Markdown (annotations): a single line without mentions and addresses."""
    return cut(_harmless(" ".join(shown(text).split())), most)


def commit_line(text: str) -> str:
    """Untrusted text for a commit's first line or a title: one line without mentions, addresses, references that could
    close an issue, and instructions to skip CI."""
    flat = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    flat = _BRACKETS.sub(lambda found: f"({found[1]})" if _SKIPS.search(found[1]) else found[0], flat)
    flat = _ISSUE.sub("\\1\u2011", _BARE_SKIP.sub("\\1 ", flat))
    return _harmless(flat).replace("#", "＃").replace("www.", "www·").replace("WWW.", "WWW·")


def plain_block(text: str, most: int = 4000) -> str:
    """Untrusted lines for places without Markdown. Long text is cut in the middle, with a note."""
    return _harmless(middle_cut(shown(text).strip("\n"), most))


def _harmless(text: str) -> str:
    return text.replace("@", "＠").replace("://", ":⁄⁄")


def sentence(text: str, most: int = 1500) -> str:
    """`prose` with a full stop, so that another sentence can follow."""
    done = prose(text, most)
    return done if not done or done.endswith((".", "!", "?", "…", ":")) else f"{done}."


def _plain(text: str) -> str:
    parts: list[str] = []
    at = 0
    for found in _URL.finditer(text):
        parts += [_escape(text[at : found.start()]), code(found.group(0))]
        at = found.end()
    return _apart([*parts, _escape(text[at:])])


def _apart(parts: list[str]) -> str:
    """The parts joined, with a space between two adjacent code spans, whose backticks would otherwise run together."""
    done = ""
    for part in parts:
        done += f" {part}" if done.endswith("`") and part.startswith("`") else part
    return done


def _escape(text: str) -> str:
    text = text.replace("&", "&amp;")  # first: the others make entities
    text = _ISSUE.sub("\\1\u2011", text).replace("@", "＠").replace("#", "＃")
    return _ESCAPED.sub(r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")


def code(text: str, most: int = 300) -> str:
    """Untrusted text as inline code: one line, with a fence longer than any run of backticks inside."""
    flat = cut(" ".join(shown(text).split()), most)
    if not flat:
        return "*(empty)*"
    fence = "`" * (longest_run(flat) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def cell(markdown: str) -> str:
    """Markdown for a table's cell, with bars escaped: they would end the cell even inside code."""
    return re.sub(r"(?<!\\)\|", r"\\|", markdown)


def block(text: str, info: str = "text", most: int = 4000) -> str:
    """Untrusted text as a fenced block that it can't end. Long text is cut in the middle, with a note."""
    body = middle_cut(shown(text).strip("\n"), most)
    fence = "`" * max(3, longest_run(body) + 1)
    return f"{fence}{info}\n{body}\n{fence}"


def label(text: str, most: int = 60) -> str:
    """Untrusted text for a diagram's label or a fold's title: letters, digits and a few signs only, no references."""
    flat = re.sub(r"[^\w .,:/+→-]+", " ", shown(text), flags=re.UNICODE)
    flat = _ISSUE.sub("\\1\u2011", " ".join(flat.split())).replace("://", ": ")
    return cut(re.sub(r"(?i)www\.", "www·", flat), most) or "?"


def longest_run(text: str) -> int:
    """Length of the longest run of backticks."""
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def cut(text: str, most: int) -> str:
    """At most `most` characters, whole words where it can be, ending with … if the text is longer."""
    return shortened(text, most)


def middle_cut(text: str, most: int) -> str:
    """Head and tail of a long text, with the number of characters that were left out between them."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"


def fold(summary: str, inside: str) -> str:
    """A collapsed section. `summary` is trusted plain text."""
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def joined(sections: list[str], most: int = MAX_COMMENT) -> str:
    """The sections with a blank line between them. Sections that don't fit are left out and counted at the end."""
    kept: list[str] = []
    size = 0
    wanted = [section for section in sections if section]
    for section in wanted:
        if size + len(section) + 2 > most - 200:
            continue
        kept.append(section)
        size += len(section) + 2
    left_out = len(wanted) - len(kept)
    if left_out:
        sections_were = "1 section was" if left_out == 1 else f"{left_out} sections were"
        kept.append(f"*{sections_were} left out here, because of GitHub's size limit.*")
    return "\n\n".join(kept)
