"""Restores types of a function's signature that this change removed and that a type checker requires."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.edits.exact import EditSpan, splice
from healing.graph.python.syntax import parse
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.definitions import definitions_of
from healing.repair.fixers.signatures import Function, ParsedFile
from healing.view import TreeView

# mypy, flake8-annotations (ruff has its rules), pyright
CODES = re.compile(r"(?:no-untyped-def|ANN[0-2]\d\d|reportMissingParameterType|reportUnknownParameterType)\Z")


@dataclass(frozen=True)
class LostAnnotation:
    """Only what was there before, verbatim."""

    name: str = "lost_annotation"
    certainty: int = 90

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and any(CODES.match(error.code or "") for error in case.errors):
            yield from limited(self._candidates(case, repo.before))

    def _candidates(self, case: Case, before: TreeView) -> Iterator[Candidate | None]:
        why = "This pull request removed these types, and the type checker requires them."
        changes: dict[str, bytes] = {}
        for file in sorted({error.file for error in case.errors if error.file}):
            now, was = _source(case.repo.view, file), _source(before, file)
            lines = {error.line for error in case.errors if error.file == file}
            spans = list(_lost(now, was, lines)) if now and was else []
            if now and spans:
                changes[file] = splice(now.data, sorted(spans, key=lambda span: span.start))
        yield case.candidate(self, changes, "Give the signature its types back", why)


def _source(view: TreeView, file: str) -> ParsedFile | None:
    data = view.read(file)
    tree = parse(data) if data is not None else None
    return ParsedFile(data, tree) if data is not None and tree is not None else None


def _lost(now: ParsedFile, was: ParsedFile, lines: set[int | None]) -> Iterator[EditSpan]:
    """The removed types of functions on these lines."""
    old_definitions = definitions_of(was.tree)
    for key, definition in definitions_of(now.tree).items():
        new, old = definition.whole, old_definitions[key].whole if key in old_definitions else None
        if not isinstance(new, Function) or not isinstance(old, Function):
            continue
        if lines.isdisjoint({new.lineno, *(arg.lineno for arg in arguments(new))}):
            continue
        types = {arg.arg: arg.annotation for arg in arguments(old)}
        for arg in arguments(new):
            kind = types.get(arg.arg)
            if kind is not None and arg.annotation is None:
                yield EditSpan(now.end(arg), now.end(arg), b": " + was.text(kind))
        at = now.signature_end(new)
        if old.returns is not None and new.returns is None and at is not None:
            yield EditSpan(at, at, b" -> " + was.text(old.returns))


def arguments(function: Function) -> list[ast.arg]:
    """The parameters of a function, in no particular order."""
    args = function.args
    rest = [arg for arg in (args.vararg, args.kwarg) if arg is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *rest]
