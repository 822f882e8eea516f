"""Adds copies of tests that continue after a failed assertion, and report at their end what each assertion compared."""

import ast

ALL = "_to_its_end"
FAILURES = "_failures"
MAX_LENGTH = 600  # characters of one assertion's message: two values may differ only at their ends
DEFINED = ast.FunctionDef | ast.AsyncFunctionDef
INSIDE = ast.For | ast.AsyncFor | ast.With | ast.AsyncWith | ast.If  # not `try`: it may catch what an assertion raises
CAUGHT = f"""try:
    pass
except Exception as error:
    {FAILURES}.append(type(error).__name__ + ': ' + ' '.join(str(error).split())[:{MAX_LENGTH}])
"""
REPORTED = f"if {FAILURES}:\n    raise AssertionError(' | '.join({FAILURES}))"


def with_all_results(tree: ast.Module, names: frozenset[str]) -> None:
    """Adds a copy of each of these tests that runs to its end."""
    owners: list[ast.Module | ast.ClassDef] = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]
    for owner in owners:
        prefix = f"{owner.name}::" if isinstance(owner, ast.ClassDef) else ""
        for node in [child for child in owner.body if isinstance(child, DEFINED) and f"{prefix}{child.name}" in names]:
            copy = ast.parse(ast.unparse(node)).body[0]
            assert isinstance(copy, DEFINED)
            copy.name += ALL
            copy.body = [*ast.parse(f"{FAILURES} = []").body, *map(_caught, copy.body), *ast.parse(REPORTED).body]
            owner.body.append(copy)


def _caught(statement: ast.stmt) -> ast.stmt:
    """An assertion in a `try` that keeps its failure for the end; another statement unchanged."""
    for part in ("body", "orelse") if isinstance(statement, INSIDE) else ():
        setattr(statement, part, [_caught(child) for child in getattr(statement, part, ())])
    if not (isinstance(statement, ast.Assert) or _asserts(statement)):
        return statement
    wrapper = ast.parse(CAUGHT).body[0]
    assert isinstance(wrapper, ast.Try)
    wrapper.body = [statement]
    return wrapper


def _asserts(node: ast.stmt) -> bool:
    called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr.startswith("assert")
