"""Arguments in the wrong order: the parameters' from before this pull request, or one that it wrote itself."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from healing.graph.grammars import parse, text
from healing.graph.outlines import FUNCTIONS, GRAMMARS
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import MAX_FILES, TOKEN, changes

if TYPE_CHECKING:
    from tree_sitter import Node

WRONG = re.compile(
    r"arguments to this \w+ are incorrect|mismatched types|is not assignable to parameter of type|"
    r"cannot use [^\n]{1,500} in argument|incompatible types|cannot be applied to given types|[Tt]ype mismatch"
)
SIGNATURES = {
    *FUNCTIONS,
    "function_signature_item",
    "function_signature",
    "method_signature",
    "method_elem",
    "method_spec",
}
NO_PARAMETER = ("comment", "line_comment", "block_comment", "self_parameter", "attribute_item")
NOT_CODE = rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|`[^`]*`"
QUOTED = {True: rb"|'(?:[^'\\\n]|\\.)*'", False: rb"|'(?:[^'\\\n]|\\.[^'\n]{0,10})'"}  # by: is it JavaScript
OPENING, CLOSING = b"([{", b")]}"
Order = tuple[int, ...]


@dataclass(frozen=True)
class ReorderedCall:
    """Only where the parameters are the same in another order, and only calls at the errors' lines that the pull
    request did not write."""

    name: str = "reordered_call"
    certainty: int = 90

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and any(WRONG.search(e.message[:1000]) for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for name, order in reordered(case.repo).items():
            for whole in (False, True):  # `go vet` reports one error of a package
                followed: dict[str, bytes] = {}
                for file in sorted({e.file for e in case.errors if e.file and _grammar(e.file)}):
                    data = case.repo.view.read(file) or b""
                    old = (case.repo.before.read(file) if case.repo.before else None) or b""
                    lines = {e.line for e in case.errors if e.file == file and e.line}
                    wanted = set(range(1, data.count(b"\n") + 2)) if whole and file.endswith(".go") else lines
                    wanted -= {row + 1 for defined, row, _ in _functions(file, data) if defined == name}
                    followed[file] = _followed(data, frozenset(old.splitlines()), wanted, name, order, _is_js(file))
                why = f"This pull request changed the order of `{name}`'s parameters; now this call has it too."
                yield case.candidate(self, followed, f"Pass `{name}` its arguments in the new order", why)
        for file, line in dict.fromkeys((e.file, e.line) for e in case.errors if e.file and e.line):
            new = _as_before(case.repo, file, line)
            why = f"This pull request only changed the order in {file}:{line}, where the types don't fit now."
            yield case.candidate(self, {file: new} if new else {}, "Write the arguments in the order from before", why)


def reordered(repo: Repo) -> dict[str, Order]:
    """The functions whose parameters are the same in another order, with the old place of each. Not those of a name
    that several functions of a file have, or that different files reorder differently."""
    orders: dict[str, set[Order]] = {}
    for path in repo.changed[:MAX_FILES]:
        old, new = (_signatures(path, view.read(path) or b"") for view in (repo.before, repo.view) if view is not None)
        for name, now in new.items():
            was = old.get(name, [])
            if was != now and sorted(was) == sorted(now) and len(set(now)) == len(now):
                orders.setdefault(name, set()).add(tuple(was.index(parameter) for parameter in now))
    return {name: order for name, (order, *others) in orders.items() if not others}


def _as_before(repo: Repo, file: str, line: int) -> bytes | None:
    """The file with a line as it was, where its words are merely in another order."""
    old, new = ((view.read(file) or b"").splitlines(keepends=True) for view in (repo.before, repo.view) if view)
    for _, i1, i2, j1, j2 in changes(old, new):
        if i2 - i1 == j2 - j1 and j1 < line <= j2:
            was, now = old[i1 + line - 1 - j1], new[line - 1]
            if sorted(TOKEN.findall(was)) == sorted(TOKEN.findall(now)):
                return b"".join([*new[: line - 1], was, *new[line:]])
    return None


def _grammar(path: str) -> str | None:
    return GRAMMARS.get(posixpath.splitext(path)[1])


def _is_js(path: str) -> bool:
    return _grammar(path) in ("javascript", "typescript", "tsx")


def _signatures(path: str, data: bytes) -> dict[str, list[str]]:
    """The parameters of each function of a file, by a name that no other has."""
    found: dict[str, list[list[str]]] = {}
    for name, _, parameters in _functions(path, data):
        found.setdefault(name, []).append(parameters)
    return {name: lists[0] for name, lists in found.items() if len(lists) == 1}


def _functions(path: str, data: bytes) -> Iterator[tuple[str, int, list[str]]]:
    """(name, row, parameters) of each function that a file defines or declares."""
    grammar = _grammar(path)
    todo = [parse(grammar, data).root_node] if grammar else []
    while todo:
        node = todo.pop()
        todo += node.children
        name, parameters = _name(node), node.child_by_field_name("parameters")
        if node.type in SIGNATURES and name and parameters is not None:
            inside = [child for child in parameters.named_children if child.type not in NO_PARAMETER]
            # Go's `a, b int` is one node of two parameters.
            several = any(len(child.children_by_field_name("name")) > 1 for child in inside)
            yield name, parameters.start_point[0], [] if several else [" ".join(text(c).split()) for c in inside]


def _name(node: "Node") -> str:
    above = node.parent
    holder = above if above is not None and above.type == "variable_declarator" else node
    return text(holder.child_by_field_name("name"))


def _followed(data: bytes, old: frozenset[bytes], wanted: set[int], name: str, order: Order, js: bool) -> bytes:
    """The file with the calls of a function on these lines in the new order, if all their lines are old ones."""
    code = re.sub(NOT_CODE + QUOTED[js], lambda match: b"_" * len(match[0]), data, flags=re.DOTALL)
    for match in reversed([*re.finditer(rb"(?<![\w$])" + re.escape(name.encode()) + rb"\s*\(", code)]):
        spans = _arguments(code, match.end())
        if len(spans) != len(order):
            continue
        start, end = match.start(), spans[-1][1]
        first, last = code.count(b"\n", 0, start) + 1, code.count(b"\n", 0, end) + 1
        rows = data.splitlines()[first - 1 : last]
        if not wanted & set(range(first, last + 1)) or not old.issuperset(rows):
            continue
        texts = [data[left:right] for left, right in spans]
        for (left, right), place in reversed([*zip(spans, order, strict=True)]):
            data = data[:left] + texts[place] + data[right:]
    return data


def _arguments(code: bytes, at: int) -> list[tuple[int, int]]:
    """The spans of a call's arguments after its opening bracket, without the space around them."""
    spans: list[tuple[int, int]] = []
    depth, start = 0, at
    for end in range(at, min(len(code), at + 5_000)):
        character = code[end : end + 1]
        closed = character in CLOSING and depth == 0
        if closed or (character == b"," and depth == 0):
            part = code[start:end]
            left, right = start + len(part) - len(part.lstrip()), start + len(part.rstrip())
            spans += [(left, right)] if left < right else []
            start = end + 1
        if closed:
            return spans
        depth += (character in OPENING) - (character in CLOSING)
    return []
