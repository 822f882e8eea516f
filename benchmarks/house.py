"""The house: how long files and functions are, and how many catch everything. Counted in the project's own code.

Peer: none runs in the same call; the bounds are what the best small codebases of this field keep.
"""

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks.shape import Goal, Result

ROOT = Path(__file__).parents[1]
STOREYS = ("healing", "handlers", "bot", "benchmarks")
Function = ast.FunctionDef | ast.AsyncFunctionDef


async def measure() -> Result:
    """A row for each storey, and the goals over all of them."""
    result = Result("house", seed=0)
    lines: list[int] = []
    functions: list[int] = []
    broad = 0
    for storey in STOREYS:
        trees = [(file.count("\n"), ast.parse(file)) for file in _files(ROOT / storey)]
        long = [length for length, _ in trees]
        deep = [length for _, tree in trees for length in _functions(tree)]
        caught = sum(_catches_everything(node) for _, tree in trees for node in ast.walk(tree))
        result.rows.append(_row(storey, long, deep, caught))
        lines, functions, broad = [*lines, *long], [*functions, *deep], broad + caught
    result.rows.append(_row("all", lines, functions, broad))
    result.goals = _goals(lines, functions, broad)
    return result


def _goals(lines: list[int], functions: list[int], broad: int) -> list[Goal]:
    file, function = statistics.median(lines), statistics.median(functions)
    share = round(100 * broad / len(functions), 2)
    return [
        Goal("lines of a file, median", "<= 100", file, file <= 100),
        Goal("lines of the longest file", "<= 400", max(lines), max(lines) <= 400),
        Goal("lines of a function, median", "<= 10", function, function <= 10),
        Goal("lines of the longest function", "<= 60", max(functions), max(functions) <= 60),
        Goal("broad excepts in 100 functions", "< 1", share, share < 1),
    ]


def _row(storey: str, lines: list[int], functions: list[int], broad: int) -> dict[str, object]:
    return {
        "storey": storey,
        "files": len(lines),
        "lines": sum(lines),
        "file, median": statistics.median(lines),
        "file, longest": max(lines),
        "functions": len(functions),
        "function, median": statistics.median(functions),
        "function, longest": max(functions),
        "broad excepts": broad,
    }


def _files(folder: Path) -> Iterator[str]:
    """Texts of the modules that hold something; the demo's repository is another project's code."""
    for file in sorted(folder.rglob("*.py")):
        text = file.read_text()
        if text.strip() and "demo_repo" not in file.parts:
            yield text


def _functions(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def _catches_everything(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    caught = node.type
    return caught is None or (isinstance(caught, ast.Name) and caught.id in ("Exception", "BaseException"))
