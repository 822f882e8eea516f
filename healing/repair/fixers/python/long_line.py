"""Lines that are too long, and continuation lines that are indented otherwise than a linter wants."""

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from healing.graph.python.syntax import parse
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.own_ruff import formatted

CODES = re.compile(r"E501|E1[23]\d|C0301")
LENGTHS = re.compile(r"\(\d{1,6} ?(?:>|/) ?(\d{2,4})(?: characters)?\)")
USUAL, MOST = 79, 120  # characters of a line where no error says how many may be
# Comments that tools read, and what is no prose in a docstring.
READ_BY_TOOLS = re.compile(r"#(?:!|:|\s*(?:type:|noqa|pylint:|pragma|nosec|fmt:|isort:|ruff:|mypy:|pyright:))", re.I)
NO_PROSE = re.compile(r"\s*(?:>>>|\.\.\.|\.\. |[-*+|:=~^]|\d+[.)])|.*(?:::|\|)\s*$")


@dataclass(frozen=True)
class LongLine:
    """Statements as Ruff formats them, comments and prose wrapped, long strings in brackets split: the code does the
    same."""

    name: str = "long_line"
    certainty: int = 90

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.errors and all(e.file and e.line and CODES.fullmatch(e.code or "") for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        changes: dict[str, bytes] = {}
        for file in sorted({error.file or "" for error in case.errors}):
            new = in_layout(case.repo.view.read(file) or b"", [e for e in case.errors if e.file == file])
            if new:
                changes[file] = new
        why = "Only the layout changes: what the code does is the same."
        yield case.candidate(self, changes, "Repair the layout", why, with_tests=True)


def in_layout(data: bytes, errors: Iterable[CIError]) -> bytes | None:
    """A file with what stands at the errors' lines in another layout; None where that can't be done, or would change
    what the code does."""
    errors = [error for error in errors if error.line]
    length = min((int(m[1]) for e in errors if (m := LENGTHS.search(e.message[:300]))), default=_usual(data))
    new = data
    for line in sorted({error.line or 0 for error in errors}, reverse=True):
        new = _at(new, line, length)
    return new if new != data and _meaning(new) == _meaning(data) is not None else None


def _usual(data: bytes) -> int:
    return max([USUAL, *(len(line) for line in data.decode("utf-8", "replace").splitlines() if len(line) <= MOST)])


def _meaning(data: bytes) -> str | None:
    """The syntax tree as text, with docstrings by their words alone; None where the file doesn't parse."""
    tree = parse(data)
    if tree is None:
        return None
    for doc in _docstrings(tree):
        doc.value = " ".join(str(doc.value).split())
    return ast.dump(tree)


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        first = node.body[0] if isinstance(node, owners) and node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            yield first.value


def _at(data: bytes, line: int, length: int) -> bytes:
    try:
        rows = data.decode().splitlines(keepends=True)
    except UnicodeDecodeError:
        return data
    row = rows[line - 1] if line <= len(rows) else ""
    if wrapped := _wrapped(data, rows, line, length):
        return "".join([*rows[: line - 1], wrapped, *rows[line:]]).encode()
    new = formatted(data, line, length)
    return _with_short_strings(new, line, len(rows) - line, length) if len(row) else new


def _wrapped(data: bytes, rows: list[str], line: int, length: int) -> str:
    """A comment or a line of a docstring's prose on several lines, a comment behind code above it; empty for others."""
    row, text = rows[line - 1], rows[line - 1].strip()
    indent, end = row[: len(row) - len(row.lstrip())], "\r\n" if row.endswith("\r\n") else "\n"
    if text.startswith("#"):
        return "" if READ_BY_TOOLS.match(text) else _filled(text.lstrip("# "), f"{indent}# ", length, end)
    if _is_prose(data, line):
        return "" if NO_PROSE.match(row) else _filled(text, indent, length, end)
    comment = _comment(row)
    code = row[: len(row.rstrip()) - len(comment)].rstrip() if comment and not READ_BY_TOOLS.match(comment) else ""
    if code and len(code) <= length and not code.endswith("\\") and _is_whole(code):
        return _filled(comment.lstrip("# "), f"{indent}# ", length, end) + code + end
    return ""


def _filled(text: str, indent: str, length: int, end: str) -> str:
    lines = textwrap.wrap(
        text, length, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "".join(line + end for line in lines) if all(len(line) <= length for line in lines) else ""


def _is_prose(data: bytes, line: int) -> bool:
    """Whether a line is within a docstring, but not its first."""
    tree = parse(data)
    return any(doc.lineno < line <= (doc.end_lineno or 0) for doc in _docstrings(tree)) if tree else False


def _comment(row: str) -> str:
    """The comment behind the code of a line; empty where there is none, or the line is part of a string."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(row.strip()).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return ""
    return next((t.string for t in tokens if t.type == tokenize.COMMENT), "")


def _is_whole(code: str) -> bool:
    return all(code.count(left) == code.count(right) for left, right in ("()", "[]", "{}"))


def _with_short_strings(data: bytes, first: int, below: int, length: int) -> bytes:
    """The file with the strings that are too long, and stand in brackets, as several strings side by side. It is looked
    at from a 1-based line to where `below` lines are left."""
    rows = data.decode().splitlines(keepends=True)
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(data.decode()).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return data
    depth, found = 0, list[tokenize.TokenInfo]()
    for token in tokens:
        depth += (token.string in "([{") - (token.string in ")]}") if token.type == tokenize.OP else 0
        inside = first <= token.start[0] <= len(rows) - below and token.start[0] == token.end[0]
        if token.type == tokenize.STRING and depth and inside and len(rows[token.start[0] - 1].rstrip()) > length:
            found.append(token)
    for token in reversed(found):
        rows[token.start[0] - 1] = _split(rows[token.start[0] - 1], token, length)
    return "".join(rows).encode()


def _split(row: str, token: tokenize.TokenInfo, length: int) -> str:
    match = re.fullmatch(r"([A-Za-z]{0,2})(['\"])(.*)\2", token.string, re.DOTALL)
    if match is None or token.string.lower().lstrip("furb").startswith(("'''", '"""')):
        return row
    prefix, quote, text = match.groups()
    start, parts, braces = token.start[1], list[str](), "f" in prefix.lower()
    while start + len(prefix) + len(text) + 2 > length - 1:
        at = text.rfind(" ", 0, length - start - len(prefix) - 2) + 1
        if at <= 0 or (braces and text[:at].count("{") != text[:at].count("}")):
            return row
        parts.append(text[:at])
        text = text[at:]
    lines = [f"{prefix}{quote}{part}{quote}" for part in (*parts, text)]
    return row[:start] + ("\n" + " " * start).join(lines) + row[token.end[1] :]
