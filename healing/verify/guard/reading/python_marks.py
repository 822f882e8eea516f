"""Finds marks in a Python syntax tree: failures that are skipped, swallowed, patched away or detected."""

import ast
from collections.abc import Iterator

from healing.verify.guard.reading.marks import Mark, MarkKind
from healing.verify.guard.reading.names import CI_VARIABLES, CLOCKS, FRAMEWORKS, NETWORK, RUNNERS

BROAD = {"Exception", "BaseException", "builtins.Exception", "builtins.BaseException", "AssertionError"}
SKIPS = {"skipif", "skipIf", "skipUnless", "xfail", "skipTest", "importorskip", "SkipTest", "expectedFailure", "flaky"}
STACKS = {"inspect.stack", "inspect.currentframe", "sys._getframe", "traceback.extract_stack", "traceback.walk_stack"}
EQUALITIES = {"__eq__", "__ne__", "__bool__", "__hash__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__"}
HOOKS = ("pytest_", "collect_ignore", "setUpModule", "load_tests")
ENVIRONMENT = {"os.environ", "environ"}


def marks(node: ast.AST, in_tests: bool) -> Iterator[Mark]:
    """The marks of one node; its children have their own."""
    if isinstance(node, ast.Call):
        yield from _call(node, in_tests)
    elif isinstance(node, ast.Attribute | ast.Name):
        yield from _name(dotted(node), in_tests)
    elif isinstance(node, ast.ExceptHandler):
        yield from _handler(node)
    elif isinstance(node, ast.Try | ast.TryStar):
        yield from ((MarkKind.SWALLOW, "return in finally") for n in node.finalbody if isinstance(n, ast.Return))
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from _function(node)
    elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
        yield from _binding(node, in_tests)
    elif isinstance(node, ast.Compare):
        yield from _comparison(node)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and CI_VARIABLES.match(node.value):
        if len(node.value) > 2 and node.value != "TESTING":
            yield MarkKind.DETECTION, node.value
    elif isinstance(node, ast.Raise) and _ends_well(node.exc):
        yield MarkKind.EXIT, "SystemExit"
    elif isinstance(node, ast.Import | ast.ImportFrom) and not in_tests:
        yield from _import(node)


def dotted(node: ast.AST | None) -> str:
    """A chain of names as `a.b.c`; calls and subscripts within it are left out."""
    parts: list[str] = []
    while node is not None:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            break
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))


def _name(name: str, in_tests: bool) -> Iterator[Mark]:
    root, _, last = name.rpartition(".")
    if last in SKIPS or (last == "skip" and root.split(".")[0] in ("pytest", "unittest", "mark", "self")):
        yield MarkKind.SKIP, last
    elif last == "_exit" or (last == "abort" and root in ("os", "")):
        yield MarkKind.EXIT, last
    elif name == "sys.excepthook":
        yield MarkKind.SWALLOW, name
    elif last in ("no_type_check", "no_type_check_decorator"):
        yield MarkKind.SILENCER, last
    elif last == "lazy_fixture" or (in_tests and last in ("patch", "MagicMock", "Mock", "AsyncMock", "monkeypatch")):
        yield MarkKind.MOCK, last


def _call(node: ast.Call, in_tests: bool) -> Iterator[Mark]:
    name = dotted(node.func)
    root, _, last = name.rpartition(".")
    constant = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else ...
    if last in ("exit", "quit") and root in ("", "sys", "builtins") and _ends_well(node):
        yield MarkKind.EXIT, last
    elif last in ("SystemExit",) and _ends_well(node) and not root:
        yield MarkKind.EXIT, "SystemExit"
    elif last == "suppress":
        yield from _suppressed([dotted(arg) for arg in node.args])
    elif (last in ("filterwarnings", "simplefilter") and constant == "ignore") or name == "logging.disable":
        yield MarkKind.SILENCER, last
    elif last == "sleep" and constant not in (0, 0.0) and root != "self":
        yield MarkKind.SLEEP, last
    elif last in ("getenv", "get") and root in ("os", *ENVIRONMENT) and constant in ("CI", "TESTING"):
        yield MarkKind.DETECTION, str(constant)
    elif last in ("seed", "freeze_time", "travel", "setrecursionlimit") and root.split(".")[0] not in ("self", "rng"):
        yield MarkKind.PATCH, last
    elif last == "setattr" and node.args and dotted(node.args[0]).split(".")[0] in CLOCKS | FRAMEWORKS:
        yield MarkKind.PATCH, f"setattr {dotted(node.args[0])}"
    elif not in_tests:
        yield from _outside(name, last, root)
    elif last in ("setattr", "setenv", "setitem", "delattr") and "monkeypatch" in root:
        yield MarkKind.MOCK, f"monkeypatch.{last}"


def _outside(name: str, last: str, root: str) -> Iterator[Mark]:
    if (
        name in ("eval", "exec", "compile", "__import__", "os.system", "os.popen")
        or name.startswith(("os.exec", "os.sp"))
        or (root.split(".", maxsplit=1)[0] in NETWORK and last[:1].islower())
    ):
        yield MarkKind.REACH, name
    elif name in STACKS:
        yield MarkKind.DETECTION, name
    elif last in ("patch", "MagicMock") and root.split(".", maxsplit=1)[0] in ("mock", "unittest", "mocker"):
        yield MarkKind.PATCH, last


def _import(node: ast.Import | ast.ImportFrom) -> Iterator[Mark]:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    for name in names:
        root = name.split(".")[0]
        if root in RUNNERS or name == "unittest.mock":
            yield MarkKind.DETECTION, f"import {root}"
        elif root in NETWORK and not name.startswith("urllib.parse"):
            yield MarkKind.REACH, f"import {root}"


def _suppressed(names: list[str]) -> Iterator[Mark]:
    broad = BROAD.intersection(names)
    yield (MarkKind.SWALLOW, "suppress") if broad else (MarkKind.QUIET, "suppress")


def _handler(node: ast.ExceptHandler) -> Iterator[Mark]:
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    broad = any(kind is None or dotted(kind) in BROAD for kind in kinds)
    if isinstance(node.body[-1], ast.Raise):
        return
    silent = all(
        isinstance(n, ast.Pass | ast.Continue) or (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))
        for n in node.body
    )
    if broad:
        yield MarkKind.SWALLOW, "except"
    if silent:
        yield (MarkKind.SWALLOW if broad else MarkKind.QUIET), "except: pass"


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Mark]:
    returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)]
    if node.name in ("__exit__", "__aexit__") and any(isinstance(v, ast.Constant) and v.value for v in returned):
        yield MarkKind.SWALLOW, node.name
    if node.name in EQUALITIES and not _reads_other(node):
        yield MarkKind.EQUALITY, node.name
    if node.name.startswith(HOOKS):
        yield MarkKind.HOOK, node.name
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and any(k.arg == "autouse" for k in decorator.keywords):
            yield MarkKind.HOOK, "autouse"


def _reads_other(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a comparison method reads what it compares with: its last argument."""
    arguments = node.args.args
    read = {n.id for statement in node.body for n in ast.walk(statement) if isinstance(n, ast.Name)}
    return bool(arguments) and arguments[-1].arg in read


def _binding(node: ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete, in_tests: bool) -> Iterator[Mark]:
    targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]
    for target in targets:
        name = dotted(target)
        root = name.split(".")[0]
        if isinstance(target, ast.Name) and (name in ("collect_ignore", "collect_ignore_glob", "__test__")):
            yield MarkKind.SKIP, name
        elif isinstance(target, ast.Name) and in_tests and isinstance(node, ast.Delete) and name.startswith("test"):
            yield MarkKind.SKIP, "del"
        elif isinstance(target, ast.Attribute | ast.Subscript) and _patched(name, root):
            yield MarkKind.PATCH, name
        elif isinstance(target, ast.Attribute) and name.endswith(".__test__"):
            yield MarkKind.SKIP, "__test__"


def _patched(name: str, root: str) -> bool:
    known = root in CLOCKS | FRAMEWORKS and "." in name
    return (known and name not in ("sys.path", "sys.stdout", "sys.stderr", "sys.stdin")) or name == "environ"


def _comparison(node: ast.Compare) -> Iterator[Mark]:
    sides = [node.left, *node.comparators]
    names = {dotted(side) for side in sides}
    texts = {side.value for side in sides if isinstance(side, ast.Constant) and isinstance(side.value, str)}
    if any(name.endswith(".modules") for name in names) and texts & RUNNERS:
        yield MarkKind.DETECTION, "sys.modules"
    elif names & {"sys.argv", "__file__"} and any("test" in text for text in texts):
        yield MarkKind.DETECTION, "sys.argv"
    elif "__name__" in names and (texts != {"__main__"} or not isinstance(node.ops[0], ast.Eq)):
        yield MarkKind.DETECTION, "__name__"
    elif names & ENVIRONMENT and texts & {"CI", "TESTING"}:
        yield MarkKind.DETECTION, "CI"


def _ends_well(node: ast.expr | None) -> bool:
    """Whether `exit(…)` or `raise SystemExit(…)` reports success."""
    if isinstance(node, ast.Name):
        return node.id == "SystemExit"
    if not isinstance(node, ast.Call) or dotted(node.func).rpartition(".")[2] not in ("exit", "quit", "SystemExit"):
        return False
    if dotted(node.func) == "SystemExit" or node.args:
        return not node.args or (isinstance(node.args[0], ast.Constant) and node.args[0].value in (0, None, False))
    return True
