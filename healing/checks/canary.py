"""Shows that a green command really read this tree: it has to fail on a copy with broken sources.

A command may pass because it tests an installed copy of the project, or nothing at all. In a throw-away worktree every
source file of the project gets a first line that is invalid in every language. A command that still passes did not read
them.

Some commands only list badly formatted files, and skip files that can't be parsed (`test -z "$(gofmt -l .)"`). For
them, white space that every formatter removes is added to the end of files that otherwise parse as before; to Python
files also imports in the wrong order.
"""

from collections.abc import Callable
from itertools import islice

from healing.checks.check import Check
from healing.checks.installing import inputs
from healing.checks.running import Checker
from healing.view import TreeView

BROKEN = b"<<<<<<< heal: this line breaks the file on purpose\n"
OF_PHP = b"<?php " + BROKEN  # outside of such a tag PHP prints any line as text
UNTIDY = b"\n \n\n"
UNSORTED = b"import sys\nimport os\n"  # for a sorter of imports, which minds no white space and doesn't parse
SOURCES = (
    *(".py", ".pyi", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".go", ".rs"),
    *(".java", ".kt", ".c", ".cc", ".cpp", ".h", ".hpp", ".rb", ".php", ".cs", ".swift", ".scala", ".ex", ".exs"),
    *(".lua", ".pl", ".pm", ".R", ".r", ".jl", ".dart", ".zig", ".nim", ".hs", ".ml", ".erl", ".clj", ".groovy", ".cr"),
    *(".m", ".mm", ".f90", ".fs", ".vb", ".d", ".tcl"),
)
# Files that decide what is run: broken, they fail a command that reads nothing else.
DECIDING = frozenset(("setup.py", "conftest.py", "noxfile.py", "tasks.py", "manage.py", "build.rs", "gulpfile.js"))
DOCUMENTS = ("docs/", "doc/")
MAX_FILES = 2000
MAX_LOOKED_AT = 8000  # bytes of a file that decide whether it is text, as in git
SET_IT_UP = ".github/heal.yml: setup: [pip install -e .] or a command under `checks:` that reads these files"


class CanaryInconclusive(Exception):
    """The command did not end on the broken copy, so nothing is known; the message says why."""


async def why_no_evidence(checker: Checker, check: Check, tree: str) -> str:
    """Why the green result of `check` on `tree` is no evidence about its files; empty where the command failed on a
    broken copy. Usually one extra run for each check and environment: the result holds for all trees."""
    environment = [checker.environment, (inputs(check.setup, checker.git.view(tree)) or tree) if check.setup else ""]
    key = [check.key, *environment]

    async def really() -> str:
        return await _reads_tree(checker, check, tree)

    async def of_any_run() -> str:
        return str(await checker.shown.run("canary", key, really)) if checker.shown else await really()

    try:
        return str(await checker.steps.run("canary", key, of_any_run))
    except CanaryInconclusive as error:
        return f"whether it reads these files could not be shown ({error})"


async def _reads_tree(checker: Checker, check: Check, tree: str) -> str:
    from healing.graph import is_test  # slow to load, and rarely needed: most green results are cached already

    view = checker.git.view(tree)
    sources = [p for p in view.paths() if p.endswith(SOURCES) and not is_test(p) and not _decides(p)]
    if sources and await _red(checker, check, tree, sources[:MAX_FILES]):
        return ""
    if sources and is_tester(check):
        return (
            "it passes also where every source file of this repository is broken, so it tests something else: an "
            "installed copy, or nothing of it"
        )
    texts = list(islice((path for path in view.paths() if _is_text(view, path)), MAX_FILES))
    rest = [path for path in texts if path not in sources and not _decides(path)]
    if rest and await _red(checker, check, tree, rest):
        return ""
    if texts and await _red(checker, check, tree, texts, _untidy):
        return ""
    documents = [path for path in texts if path.startswith(DOCUMENTS)]  # what builds them may read nothing else
    if documents and await _red(checker, check, tree, documents):
        return ""
    return "it passes also where every file of this repository is broken, so it doesn't read them"


def is_tester(check: Check) -> bool:
    """Whether the command runs tests, judged by its words; those have to load the sources."""
    words = (
        "pytest",
        "unittest",
        "py.test",
        "jest",
        "vitest",
        "mocha",
        "go test",
        "cargo test",
        "ava",
        "tape",
        "rspec",
    )
    return any(word in check.step.run for word in words)


def _broken(path: str, data: bytes) -> bytes:
    return (OF_PHP if path.endswith(".php") else BROKEN) + data


def _untidy(path: str, data: bytes) -> bytes:
    return data + (b"\n" + UNSORTED if path.endswith(".py") else b"") + UNTIDY


async def _red(
    checker: Checker, check: Check, tree: str, paths: list[str], spoil: Callable[[str, bytes], bytes] = _broken
) -> bool:
    """Whether the command fails where these files are as `spoil` makes them. Raises CanaryInconclusive where it does
    not end."""
    view: TreeView = checker.git.view(tree)
    changes = {path: spoil(path, view.read(path) or b"") for path in paths}
    modes = {path: view.mode(path) or "100644" for path in paths}
    broken = checker.git.write_tree(tree, changes, modes)
    result = await checker.run(check, broken)
    if result.exit_code is None:
        raise CanaryInconclusive(result.not_run)
    return not result.green


def _is_text(view: TreeView, path: str) -> bool:
    return (view.mode(path) or "").startswith("100") and b"\0" not in (view.read(path) or b"")[:MAX_LOOKED_AT]


def _decides(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in DECIDING or ".config." in name or name.endswith("rc.js") or path.startswith((".github/", *DOCUMENTS))
