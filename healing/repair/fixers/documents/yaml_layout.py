"""What yamllint minds about the layout of YAML: spaces, blank lines, the document's start and end, truth values."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

MAX_BYTES = 500_000
TRUTH = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
VALUE = re.compile(r"(?P<quote>['\"]?)(?P<word>\w+)(?P=quote)(?=\s*(?:$|[,\]}#]))")
EXPECTED = re.compile(r"expected (\d{1,2})")
Repair = Callable[[str, int, str], str]  # (line, 0-based column, message) → line


@dataclass(frozen=True)
class YamlLayout:
    """At the places that are named alone, and only where the file says the same afterwards; a truth value is written as
    YAML 1.2 has it, with the same meaning in 1.1."""

    name: str = "yaml_layout"
    certainty: int = 92

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.errors and all(e.tool == "yamllint" and e.file and e.line and e.code for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        changes: dict[str, bytes] = {}
        for file in sorted({error.file or "" for error in case.errors}):
            data = case.repo.view.read(file) or b""
            new = _repaired(data, [e for e in case.errors if e.file == file]) if len(data) <= MAX_BYTES else data
            if new != data:
                changes[file] = new
        why = "Only the layout at these places changes: the file says the same."
        yield case.candidate(self, changes, "Repair the layout", why, with_tests=True)


def _repaired(data: bytes, errors: list[CIError]) -> bytes:
    """The file with what can be repaired at the errors' places; the file itself where it would say something else."""
    try:
        lines = data.decode().splitlines(keepends=True)
    except UnicodeDecodeError:
        return data
    for error in sorted(errors, key=lambda e: (e.line or 0, e.column or 0), reverse=True):
        row = (error.line or 1) - 1
        repair = REPAIRS.get(error.code or "")
        if error.code == "empty-lines":
            _cut(lines, row, error.message)
        elif error.code == "document-start":
            lines[:0] = ["---\n"] if "missing" in error.message else []
        elif repair and row < len(lines):
            text = lines[row].rstrip("\r\n")
            lines[row] = repair(text, (error.column or 1) - 1, error.message) + lines[row][len(text) :]
            lines[row] += "\n" if error.code == "new-line-at-end-of-file" else ""
        if error.code == "new-lines":
            lines = [line.replace("\r\n", "\n") if "\\n" in error.message else line for line in lines]
    new = "".join(lines).encode()
    is_same = all(error.code == "truthy" for error in errors) or _content(new) == _content(data) is not None
    return new if is_same else data


def _content(data: bytes) -> list[tuple[object, ...]] | None:
    """What a file says, as the parser reports it, without where and how it is written; None where it can't be read.
    Aliases are not followed: there may be more of them than fit into memory."""
    try:
        events = list(YAML(pure=True).parse(data))
    except (YAMLError, ValueError, RecursionError, AttributeError, TypeError):
        return None
    told = ("value", "anchor", "tag", "implicit")
    return [(type(event), *(str(getattr(event, name, "")) for name in told)) for event in events]


def _cut(lines: list[str], row: int, message: str) -> None:
    """Takes away the blank lines above a row (or at the end) that are too many."""
    most = re.search(r"\((\d+) > (\d+)\)", message)
    if most is None:
        return
    end = min(row + 1, len(lines)) if row < len(lines) and not lines[row].strip() else min(row, len(lines))
    surplus = int(most[1]) - int(most[2])
    if all(not line.strip() for line in lines[max(0, end - surplus) : end]):
        del lines[max(0, end - surplus) : end]


def _without_end(text: str, _column: int, _message: str) -> str:
    return text.rstrip()


def _colon(text: str, column: int, message: str) -> str:
    """`column` is where the needless spaces end."""
    if "before" in message:
        at = text.find(":", column)
        return text[:at].rstrip() + text[at:] if at >= 0 else text
    kept = text[: column + 1].rstrip()
    return f"{kept} {text[column + 1 :].lstrip()}" if kept.endswith((":", "?")) else text


def _comma(text: str, column: int, message: str) -> str:
    if "before" in message:
        return text[:column].rstrip() + text[column:].lstrip()
    at = text.rfind(",", 0, column + 1) + 1
    return f"{text[:at]} {text[at:].lstrip()}" if at else text


def _hyphen(text: str, column: int, _message: str) -> str:
    at = text.rfind("-", 0, column + 1) + 1
    return f"{text[:at]} {text[at:].lstrip()}" if at else text


def _bracket(text: str, column: int, message: str) -> str:
    """As many spaces as there should be inside a bracket at a place: none or one."""
    wanted = " " if "too few" in message else ""
    left, right = text[: column + 1].rstrip(), text[column:].lstrip()
    if right[:1] in ("]", "}"):
        return text[:column].rstrip() + wanted + right
    opening = max(text.rfind("[", 0, column + 1), text.rfind("{", 0, column + 1))
    return text[: opening + 1] + wanted + text[opening + 1 :].lstrip() if opening >= 0 and left else text


def _comment(text: str, column: int, message: str) -> str:
    at = text.rfind("#", 0, column + 1) if "starting" in message else column
    if "starting" in message:
        return f"{text[: at + 1]} {text[at + 1 :]}" if at >= 0 else text
    spaces = EXPECTED.search(message)
    return text[:at].rstrip() + " " * int(spaces[1] if spaces else 2) + text[at:]


def _truth(text: str, column: int, _message: str) -> str:
    """A truth value at a place; a key stays, whose name others may read."""
    match = VALUE.match(text, column)
    right = TRUTH.get(match["word"].lower(), match["word"].lower()) if match else ""
    return text[:column] + right + text[match.end() :] if match and right in ("true", "false") else text


REPAIRS: dict[str, Repair] = {
    "trailing-spaces": _without_end,
    "new-line-at-end-of-file": lambda text, _column, _message: text,
    "colons": _colon,
    "commas": _comma,
    "hyphens": _hyphen,
    "brackets": _bracket,
    "braces": _bracket,
    "comments": _comment,
    "truthy": _truth,
}
