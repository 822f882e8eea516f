"""Rule: flags a change that assigns to what it has imported: that replaces it for all its users.

For example `threading.Lock = threading.RLock` or `Path.read_text = …`: no list of modules is needed, only that the name
is imported.
"""

import ast
from collections import Counter
from collections.abc import Iterator

from healing.graph.python.syntax import parse
from healing.verify.guard.patch import GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_file

RULE = "foreign"
# Meant to be set, or left to another rule.
OWN = frozenset({"sys.stdout", "sys.stderr", "sys.stdin", "sys.path", "os.environ"})


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """A flag for each Python file that assigns to more attributes of imported modules and classes than before."""
    for file in patch.files:
        if not file.path.endswith(".py") or file.new is None or is_test_file(file.path):
            continue
        more = sorted(Counter(_assigned(file.new)) - Counter(_assigned(file.old or b"")))
        if more:
            yield GuardFinding(
                RULE, file.path, f"replaces what others have from elsewhere ({', '.join(more)[:80]})", True
            )


def _assigned(data: bytes) -> Iterator[str]:
    tree = parse(data)
    nodes = list(ast.walk(tree)) if tree else []
    imported = {name for node in nodes for name in _imported(node)}
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            name = ast.unparse(target) if isinstance(target, ast.Attribute) else ""
            if name.partition(".")[0] in imported and name not in OWN and name.replace(".", "").isidentifier():
                yield name


def _imported(node: ast.AST) -> Iterator[str]:
    """Imported modules, and imported names with a capital initial: other objects may be meant to be changed."""
    if isinstance(node, ast.Import):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        names = (alias.asname or alias.name for alias in node.names)
        yield from (name for name in names if name[:1].isupper())
