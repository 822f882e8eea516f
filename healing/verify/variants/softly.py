"""Tests that go on after a failed assertion, and say at their end what each compared."""

import ast

ALL = "_to_its_end"
FAILURES = "_failures"
LONGEST = 600  # characters of what one assertion says: two answers may differ at their ends alone
DEFINED = ast.FunctionDef | ast.AsyncFunctionDef
INSIDE = ast.For | ast.AsyncFor | ast.With | ast.AsyncWith | ast.If  # a `try` may wait for what an assertion raises
CAUGHT = f"""try:
    pass
except Exception as error:
    {FAILURES}.append(type(error).__name__ + ': ' + ' '.join(str(error).split())[:{LONGEST}])
"""
REPORTED = f"if {FAILURES}:\n    raise AssertionError(' | '.join({FAILURES}))"


def with_all_results(tree: ast.Module, names: frozenset[str]) -> None:
    """Adds a copy of each of these tests that goes on to its end."""
    owners: list[ast.Module | ast.ClassDef] = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]
    for owner in owners:
        prefix = f"{owner.name}::" if isinstance(owner, ast.ClassDef) else ""
        for node in [one for one in owner.body if isinstance(one, DEFINED) and f"{prefix}{one.name}" in names]:
            copy = ast.parse(ast.unparse(node)).body[0]
            assert isinstance(copy, DEFINED)
            copy.name += ALL
            copy.body = [*ast.parse(f"{FAILURES} = []").body, *map(_caught, copy.body), *ast.parse(REPORTED).body]
            owner.body.append(copy)


def _caught(statement: ast.stmt) -> ast.stmt:
    """An assertion whose failure is kept for the end; another statement as it is."""
    for part in ("body", "orelse") if isinstance(statement, INSIDE) else ():
        setattr(statement, part, [_caught(one) for one in getattr(statement, part, ())])
    if not (isinstance(statement, ast.Assert) or _asserts(statement)):
        return statement
    made = ast.parse(CAUGHT).body[0]
    assert isinstance(made, ast.Try)
    made.body = [statement]
    return made


def _asserts(node: ast.stmt) -> bool:
    called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr.startswith("assert")
