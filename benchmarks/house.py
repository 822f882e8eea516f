"""The house: how long functions are, how many catch everything, which public class names mean two things, and where
product code names requirements by their ids. Counted in the project's own code; types and import contracts are `make
lint`'s.

Peer: none runs in the same call; the bounds are what the best small codebases of this field keep.
"""

import ast
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.shape import Goal, Result

ROOT = Path(__file__).parents[1]
STOREYS = ("healing", "handlers", "bot", "lab", "benchmarks")
PRODUCT = ("healing", "handlers", "bot", "lab")
Function = ast.FunctionDef | ast.AsyncFunctionDef
REQUIREMENT = re.compile(r"\b(?:AF|AG|CK|CL|CLI|ENV|EX|GH|IN|JD|LM|MQ|OP|SC|UX|WT)-\d{1,2}\b")


async def measure() -> Result:
    """A row for each storey, and the goals over all of them."""
    result = Result("house", seed=0)
    lines: list[int] = []
    functions: list[int] = []
    broad, twice, named = 0, 0, 0
    for storey in STOREYS:
        texts = list(_files(ROOT / storey))
        trees = [(file.count("\n"), ast.parse(file)) for file in texts]
        long = [length for length, _ in trees]
        deep = [length for _, tree in trees for length in _functions(tree)]
        caught = sum(_catches_everything(node) for _, tree in trees for node in ast.walk(tree))
        result.rows.append(_row(storey, long, deep, caught))
        lines, functions, broad = [*lines, *long], [*functions, *deep], broad + caught
        if storey in PRODUCT:
            twice += _defined_twice(storey)
            named += sum(bool(REQUIREMENT.search(text)) for text in texts)
    result.rows.append(_row("all", lines, functions, broad))
    share = round(100 * broad / len(functions), 2)
    result.goals = [
        Goal("lines of the longest function", "<= 60", max(functions), max(functions) <= 60),
        Goal("broad excepts in 100 functions", "< 1", share, share < 1),
        Goal("public class names with two definitions in a storey", "0", twice, twice == 0),
        Goal("files of product that name a requirement's id", "0", named, named == 0),
    ]
    return result


def _defined_twice(storey: str) -> int:
    """How many public class names of a storey mean two things."""
    names: Counter[str] = Counter()
    for file in sorted((ROOT / storey).rglob("*.py")):
        if "demo_repo" not in file.parts:
            classes = (node for node in ast.parse(file.read_text()).body if isinstance(node, ast.ClassDef))
            names.update(one.name for one in classes if not one.name.startswith("_"))
    return sum(count > 1 for count in names.values())


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
