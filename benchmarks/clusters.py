"""Errors → root causes → clusters: 10,000 errors over 10,000 files of a generated repository, in four mixtures."""

import random
import time
from collections.abc import Callable
from typing import Any

from benchmarks.shape import Goal, Result
from healing.causes import find_causes
from healing.causes.hierarchy import explain, independent
from healing.clusters import Batching, make_clusters
from healing.graph import Graph, import_graph
from healing.model import Category, CIError, Related
from healing.view import DictView

SEED = 4
FILES = ERRORS = 10_000
SECONDS = 5.0
BATCHINGS: tuple[Batching, ...] = ("dependency", "file", "type", "agent")


async def measure() -> Result:
    """Seconds of everything from errors to clusters; the graph, which a run keeps, has its own column."""
    pick = random.Random(SEED)
    view = _repository(pick)
    start = time.process_time()
    graph = import_graph(view)
    graph.defining("warm"), graph.with_dependents([view.paths()[0]])
    graph_seconds = time.process_time() - start
    result = Result("clusters", SEED)
    for name, make in MIXTURES.items():
        errors = [make(number, pick) for number in range(ERRORS)]
        for batching in BATCHINGS if name == "mixed" else BATCHINGS[:1]:
            result.rows.append({"mixture": name, **_row(errors, view, graph, batching), "graph": graph_seconds})
    slowest = max(row["seconds"] for row in result.rows)
    name = "10,000 errors over 10,000 files, slowest mixture (processor time: one thread, waits for nothing)"
    result.goals.append(Goal(name, "< 5 s", round(slowest, 2), slowest < SECONDS))
    return result


def _row(errors: list[CIError], view: DictView, graph: Graph, batching: Batching) -> dict[str, Any]:
    start = time.process_time()
    causes = find_causes(errors, view)
    found = time.process_time()
    causes = explain(causes, errors, graph)
    explained = time.process_time()
    clusters = make_clusters(causes, errors, graph, batching=batching)
    end = time.process_time()
    assert sum(len(cluster.error_ids) for cluster in clusters) == len(errors)
    return {
        "batching": batching,
        "errors": len(errors),
        "causes": len(causes),
        "to cure": len(independent(causes)),
        "clusters": len(clusters),
        "finding": found - start,
        "explaining": explained - found,
        "clustering": end - explained,
        "seconds": end - start,
    }


def _repository(pick: random.Random) -> DictView:
    files = {}
    for number in range(FILES):
        used = {pick.randrange(FILES) for _ in range(4)} | ({pick.randrange(20)} if number > 20 else set())
        imports = "".join(f"from pkg{one % 100}.m{one} import Name{one}\n" for one in sorted(used))
        body = f"\nclass Name{number}:\n    def act(self):\n        return Name{min(used)}()\n"
        files[f"src/pkg{number % 100}/m{number}.py"] = (imports + body).encode()
    return DictView(files)


def _path(number: int) -> str:
    return f"src/pkg{number % 100}/m{number}.py"


def _error(number: int, tool: str, category: Category, message: str, **more: object) -> CIError:
    fields: dict[str, object] = {"file": _path(number), "line": 7, **more}
    return CIError.model_validate(
        {"id": f"E{number:06}", "tool": tool, "category": category, "message": message, **fields}
    )


def _lint(number: int, pick: random.Random) -> CIError:
    return _error(number, "ruff", Category.LINT, f"Line too long ({pick.randrange(90, 300)} > 88)", code="E501")


def _name(number: int, pick: random.Random) -> CIError:
    return _error(
        number, "mypy", Category.TYPE, f'Name "Name{pick.randrange(1000)}" is not defined', code="name-defined"
    )


def _member(number: int, pick: random.Random) -> CIError:
    message = f'"Name{pick.randrange(FILES)}" has no attribute "field{pick.randrange(3000)}"'
    return _error(number, "mypy", Category.TYPE, message, code="attr-defined")


def _syntax(number: int, pick: random.Random) -> CIError:
    if number % 10 == 0:
        return _error(number, "python", Category.SYNTAX, "SyntaxError: invalid syntax")
    broken = pick.randrange(0, FILES, 10)
    frames = (Related(file=_path(number), line=1), Related(file=_path(broken), line=3))
    message = f"ImportError: cannot import name 'Name{broken}' from 'pkg{broken % 100}.m{broken}'"
    return _error(number, "pytest", Category.IMPORT, message, related=frames)


def _crash(number: int, pick: random.Random) -> CIError:
    frames = (Related(file=_path(number), line=7), Related(file=_path(pick.randrange(20)), line=7))
    return _error(
        number, "pytest", Category.TEST, f"assert {number} == 1", related=frames, test=f"{_path(number)}::test"
    )


def _mixed(number: int, pick: random.Random) -> CIError:
    return (_lint, _name, _member, _syntax, _crash)[number % 5](number, pick)


MIXTURES: dict[str, Callable[[int, random.Random], CIError]] = {
    "lint": _lint,
    "undefined names": _name,
    "members of types": _member,
    "syntax and imports": _syntax,
    "tests through hubs": _crash,
    "mixed": _mixed,
}
