"""A repository's guides on code style, for agents: `AGENTS.md` and the like, as bounded data."""

import re
from collections.abc import Callable, Iterable, Iterator

GUIDE = "AGENTS.md"  # applies to its folder and all below
GUIDES = (GUIDE, "CLAUDE.md", ".github/copilot-instructions.md")
CONTRIBUTING = ("CONTRIBUTING.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md")
LIMIT = 6_000  # characters of all together
MAX_BYTES = 200_000  # of a file; longer ones are no guide
MIN_LENGTH = 40  # characters; a shorter text only links to another guide
CUT = "\n[… the rest is left out]"

_FENCED = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.M | re.S)  # code, where `#` begins no heading
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*)$", re.M)
_OF_STYLE = re.compile(r"(?i)\b(?:style|styles|styling|conventions?|formatting|linting|coding|standards?)\b")


def house_style(files: Iterable[str], read: Callable[[str], bytes | None]) -> str:
    """The guides that apply to these files, nearest folder first, each under its path and none twice; of CONTRIBUTING
    only the sections about style. Empty where there are none."""
    parts: list[str] = []
    seen: set[str] = set()
    room = LIMIT
    for path, text in _guides(files, read):
        if len(text) < MIN_LENGTH or text in seen:
            continue
        seen.add(text)
        if room <= 0:
            parts.append(f"({path} is not shown)")
            continue
        part = f"{path}:\n{text}" if len(text) <= room else f"{path}:\n{_beginning(text, room)}{CUT}"
        parts.append(part)
        room -= len(text)
    return "\n\n".join(parts)


def _beginning(text: str, room: int) -> str:
    """The whole lines that fit; of a first line that is too long, its beginning."""
    return text[:room].rpartition("\n")[0] or text[:room]


def _guides(files: Iterable[str], read: Callable[[str], bytes | None]) -> Iterator[tuple[str, str]]:
    for path in (*_beside(files), *GUIDES):
        yield path, _text(read(path))
    for path in CONTRIBUTING:
        yield path, _of_style(_text(read(path)))


def _beside(files: Iterable[str]) -> list[str]:
    """The guides in the folders of the files, the deepest first, without the root's."""
    folders = {"/".join(file.split("/")[:depth]) for file in files for depth in range(1, file.count("/") + 1)}
    return [f"{folder}/{GUIDE}" for folder in sorted(folders, key=lambda one: (-one.count("/"), one))]


def _text(data: bytes | None) -> str:
    if data is None or len(data) > MAX_BYTES or b"\0" in data[:8000]:
        return ""
    return data.decode("utf-8", "replace").strip()


def _of_style(text: str) -> str:
    """The sections whose heading is about style, with their subsections."""
    kept: list[str] = []
    headings = list(_HEADING.finditer(_FENCED.sub(lambda code: " " * len(code[0]), text)))
    end = 0  # of the last section that was kept
    for at, heading in enumerate(headings):
        if heading.start() < end or not _OF_STYLE.search(heading[2]):
            continue
        later = map(headings.__getitem__, range(at + 1, len(headings)))
        end = next(
            (next_heading.start() for next_heading in later if len(next_heading[1]) <= len(heading[1])), len(text)
        )
        kept.append(text[heading.start() : end].strip())
    return "\n\n".join(kept)
