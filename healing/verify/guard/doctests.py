"""Rule: the examples in docs that are run as tests (doctests) stay as they are."""

import ast
import doctest
import re
from collections import Counter
from collections.abc import Iterator

from healing.graph.python.syntax import parse
from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.reading.text import PYTHON, language_of, plain

RULE = "doctests"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
MARKED = re.compile(r"^[ \t]*(?:///|//!)[ \t]?(.*)$", re.M)
FENCE = re.compile(r"^```", re.M)
GONE = re.compile(r"is not defined|has no attribute|cannot find|unresolved|NameError|AttributeError|ImportError")


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each file that loses or changes an example: refused, unless all of the file's own errors report a
    name that doesn't exist, in which case it is flagged."""
    for file in patch.files:
        removed = _examples(file.path, file.old) - _examples(file.path, file.new)
        if file.old is None or file.new is None or not removed or file.path in patch.named:
            continue
        own_errors = [e for e in patch.errors if e.file == file.path or file.path in (e.test or "")]
        renamed = all(GONE.search(f"{e.message}\n{e.excerpt}") for e in own_errors)
        first = next(iter(removed))[0].strip()[:60]
        yield GuardFinding(RULE, file.path, f"changes an example that is run as a test ({first})", renamed)


def _examples(path: str, data: bytes | None) -> Counter[tuple[str, str]]:
    text = plain(data or b"")
    if language_of(path) == "rust":
        return Counter(_rust(text))
    return Counter(_python(path, text)) if ">>> " in text else Counter()


def _python(path: str, text: str) -> Iterator[tuple[str, str]]:
    """The examples of docstrings, or of prose; if an example doesn't parse, its lines."""
    tree = parse(text) if language_of(path) == PYTHON else None
    nodes = ast.walk(tree) if tree else ()
    docs = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, DOCUMENTED)]
    for doc in docs if tree else [text]:
        try:
            yield from ((example.source, example.want) for example in doctest.DocTestParser().get_examples(doc))
        except ValueError:
            yield from ((line.strip(), "") for line in doc.split("\n") if line.lstrip().startswith(">>> "))


def _rust(text: str) -> Iterator[tuple[str, str]]:
    """The lines of code between the fences of doc comments."""
    inside = False
    for line in MARKED.findall(text):
        if FENCE.match(line):
            inside = not inside
            if inside and line.strip() != "```":
                yield line.strip(), ""
        elif inside and line.strip():
            yield line.strip(), ""
