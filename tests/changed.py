"""Runs the test files that a change reaches by the import graph, nearest first: `python -m tests.changed [COMMIT]`.

Of those it runs the ones in the folder that mirrors the code's (`healing/edits` → `tests/edits`), and elsewhere those
that import what changed, or a module that imports it: through the whole pipeline almost every test reaches every file.
COMMIT (default: main) is what the working tree is compared with, from where both parted. `make test` stays the judge:
what is loaded by name alone, or run as a program, is reached by its package, and the settings of the build reach all.
"""

import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import grimp

ROOT = Path(__file__).parents[1]
PACKAGES = ("bot", "handlers", "healing", "lab", "benchmarks", "tests")
NEAR = 2  # imports between a test and what changed
WRITTEN = ("tests/test_docs.py", "tests/test_requirements.py")  # judge what is written for people


def import_graph() -> grimp.ImportGraph:
    """Who imports whom; a test imports the conftest files of its folders, but for the one of all tests."""
    graph = grimp.build_graph(*PACKAGES)
    for conftest in graph.find_matching_modules("tests.**.conftest"):
        for test in graph.find_matching_modules(f"{conftest.removesuffix('conftest')}**"):
            if test.rpartition(".")[2].startswith("test_"):
                graph.add_import(importer=test, imported=conftest)
    return graph


def reached(paths: Iterable[str], graph: grimp.ImportGraph) -> list[str]:
    """The test files, in order of distance, of changed files (`healing/edits/exact.py`), which may be gone by now."""
    distances: dict[str, int] = {}
    for path in map(PurePosixPath, paths):
        every = dict(_of_one(path, graph))
        folder = _mirror(path)
        near = {file: far for file, far in every.items() if far <= NEAR or (folder and folder in file)}
        for file, distance in (near or every).items():
            distances[file] = min(distance, distances.get(file, distance))
    return sorted(distances, key=lambda file: (distances[file], file))


def _mirror(path: PurePosixPath) -> str:
    """The tests' folder for a file of `healing/edits/` or `bot/web/dashboard/` (`tests/edits/`, `tests/web/`), else of
    its package (`tests/bot/`); empty where there is none."""
    package, *folders = path.parent.parts or ("",)
    names = [PurePosixPath("tests", *folders[:depth]) for depth in range(len(folders), 0, -1)]
    return next((f"{name}/" for name in (*names, PurePosixPath("tests", package)) if (ROOT / name).is_dir()), "")


def _of_one(path: PurePosixPath, graph: grimp.ImportGraph) -> Iterator[tuple[str, int]]:
    if path.suffix == ".md":
        yield from ((file, 0) for file in WRITTEN)
    if path.parts[0] not in PACKAGES:
        return
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    begin = {module} & graph.modules if path.stem != "conftest" else set()
    while module:
        tests = list(_above(begin, graph))
        if tests:
            yield from tests
            return
        # Nothing imports it by name: whatever imports its package may load it.
        module = module.rpartition(".")[0]
        begin = {one for one in graph.modules if f"{one}.".startswith(f"{module}.")}


def _above(begin: set[str], graph: grimp.ImportGraph) -> Iterator[tuple[str, int]]:
    """The test files among these modules and above them, each with the length of the chain of imports."""
    waiting = deque((one, 0) for one in sorted(begin))
    seen = set(begin)
    while waiting:
        one, distance = waiting.popleft()
        if one.startswith("tests.") and one.rpartition(".")[2].startswith("test_"):
            yield f"{one.replace('.', '/')}.py", distance
        for importer in sorted(graph.find_modules_that_directly_import(one) - seen):
            seen.add(importer)
            waiting.append((importer, distance + 1))


def changed_since(commit: str) -> list[str]:
    """Paths that differ from where the branch left `commit`, with those that git doesn't know yet."""
    base = _git("merge-base", commit, "HEAD")[0]
    return [*_git("diff", "--name-only", base), *_git("ls-files", "--others", "--exclude-standard")]


def _git(*words: str) -> list[str]:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()


def main() -> int:
    """Runs pytest on what is reached; its exit code."""
    paths = changed_since(sys.argv[1] if len(sys.argv) > 1 else "main")
    files = [file for file in reached(paths, import_graph()) if (ROOT / file).exists()]
    print(f"{len(paths)} files changed: {len(files)} test files, nearest first", file=sys.stderr)
    others = [path for path in paths if path.partition("/")[0] not in PACKAGES and not path.endswith(".md")]
    if others:
        print(f"Not followed: {', '.join(others)}. `make test` runs everything.", file=sys.stderr)
    return (
        subprocess.run([sys.executable, "-m", "pytest", "-n", "0", *files], cwd=ROOT, check=False).returncode
        if files
        else 0
    )


if __name__ == "__main__":
    sys.exit(main())
