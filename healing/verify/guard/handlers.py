"""Rule: the exception that failed a run is repaired; catching it, or returning a value instead, is flagged."""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator

from healing.graph.python.syntax import parse
from healing.model import CIError
from healing.verify.guard.patch import File, GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_file
from healing.verify.guard.reading.python_marks import dotted
from healing.verify.guard.reading.text import PYTHON, any_of, is_prose, language_of, plain
from healing.verify.guard.window import window

RULE = "handlers"
NAMED = re.compile(
    r"\b([A-Z][A-Za-z]{1,60}(?:Error|Exception|Interrupt|Iteration|NotFound|Timeout|Failure)|KeyError)\b"
)
FAILED = re.compile(r"\b(?:panic|panicked|unwrap\(\)|expect\(\)|Exception|Error|Traceback)\b")
ASSERTED = re.compile(r"\bAssert\w{0,40}(?:Error|Failed\w{0,20})\b")
# Calls that return a value instead of failing: the exception they avoid, and the number of their arguments.
INSTEAD = {
    "get": ("KeyError", 2),
    "pop": ("KeyError", 2),
    "getattr": ("AttributeError", 3),
    "next": ("StopIteration", 2),
}
# What handles a failure in other languages: the counts of before and after are compared.
CATCHING = any_of(
    r"\bcatch\b", r"\brescue\b", r"\brecover\(\)", r"\bcatch_unwind\b", r"\bunwrap_or\w{0,20}\b", r"\.ok\(\)",
    r"\bif let (?:Ok|Some)\b",
    r"\bErr\(_\) =>", r"\bon_?[eE]rror\b", r"\bset_exception_handler\b", r"\?\?=?|\|\|=", r"\btrap\b", r"\bset \+e\b",
)  # fmt: skip


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """A flag for each file with a new handler for what the errors raised."""
    raised = {name for error in patch.errors for name in _raised(error)}
    for file in patch.files:
        if file.new is None or is_test_file(file.path) or is_prose(file.path) or not raised:
            continue
        handled = _caught(file, raised) if language_of(file.path) == PYTHON else _by_words(file, raised)
        if handled:
            yield GuardFinding(RULE, file.path, f"catches what failed the run ({handled})", True)


def _raised(error: CIError) -> Iterator[str]:
    """The exceptions that an error names, with their base classes; assertions don't count."""
    text = f"{error.code or ''}\n{error.message}\n{error.excerpt}"
    names = [name for name in NAMED.findall(text) if not ASSERTED.match(name)]
    if not names and FAILED.search(ASSERTED.sub("", text)):
        yield "it"
    for name in names:
        yield name
        kind = getattr(builtins, name, None)
        if isinstance(kind, type) and issubclass(kind, BaseException):
            yield from (base.__name__ for base in kind.__mro__ if issubclass(base, BaseException))


def _caught(file: File, raised: set[str]) -> str:
    before, after = map(parse, window(file.old or b"", file.new or b""))
    more = _handlers(after) - _handlers(before) if before and after else {}
    return ", ".join(sorted(name for name in more if name in raised))


def _handlers(tree: ast.AST) -> Counter[str]:
    handled: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[-1], ast.Raise):
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            handled.update(dotted(kind).rpartition(".")[2] if kind else "BaseException" for kind in kinds)
        elif isinstance(node, ast.Call):
            name = dotted(node.func).rpartition(".")[2]
            if name == "suppress":
                handled.update(dotted(argument).rpartition(".")[2] for argument in node.args)
            elif name in INSTEAD and len(node.args) == INSTEAD[name][1] and _is_own_value(node.args[-1]):
                handled[INSTEAD[name][0]] += 1
    return handled


def _is_own_value(default: ast.expr) -> bool:
    """Whether a default is a value of its own: a non-empty literal, or the name of a constant."""
    if isinstance(default, ast.Constant):
        return bool(default.value)
    return isinstance(default, ast.Name) and default.id.isupper()


def _by_words(file: File, raised: set[str]) -> str:
    before, after = (Counter(CATCHING.findall(plain(data or b""))) for data in (file.old, file.new))
    more = sorted(word for word in after if after[word] > before[word])
    return ", ".join(more)[:60]
