"""The edit zone of a root cause: every file that may need an edit, by how likely that is."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from healing.causes import Places
from healing.graph import Graph, is_test
from healing.graph.testfiles import tested_name
from healing.model import CIError, RootCause

OWN, NAMED, SUBJECT, FRAME = 1, 2, 3, 4
COMMON = 3  # most files that define a name; a name with more, like `main`, identifies none
MAX_ERRORS = 20  # of a cause, whose stacks are followed
FOLDERS = ("__init__", "index", "mod", "lib", "main")  # files that are named after their folder


def zone_of(cause: RootCause, errors: Sequence[CIError], graph: Graph, places: Places) -> dict[str, int]:
    """File → strength, 1 the strongest: the errors' own files, the definitions of the names in their messages, the
    subjects of their tests, their stack frames."""
    tests = dict.fromkeys(error.file for error in errors if error.file and is_test(error.file))
    parts = {
        OWN: [file for file in cause.files if places.ours(file)],
        NAMED: [file for symbol in cause.symbols for file in definitions_of(symbol, graph)],
        SUBJECT: [file for test in tests for file in subject_of(test, graph)],
        FRAME: [file for error in errors[:MAX_ERRORS] for file, _ in places.frames(error)],
    }
    zone: dict[str, int] = {}
    for strength, files in parts.items():
        for file in files:
            zone.setdefault(file, strength)
    return zone


def definitions_of(symbol: str, graph: Graph) -> tuple[str, ...]:
    """The files that define a name from a message; none where too many do."""
    files = graph.defining(symbol.replace("::", ".").rpartition(".")[2])
    return files if len(files) <= COMMON else ()


def subject_of(test: str, graph: Graph) -> tuple[str, ...]:
    """The files that a test file is about: the imported files with its own name, otherwise its only import."""
    imported = sorted(file for file in graph.imports(test) if not is_test(file))
    name = _plain(tested_name(test))
    namesakes = tuple(file for file in imported if _plain(_stem(file)) == name)
    return namesakes or (tuple(imported) if len(imported) == 1 else ())


def _stem(file: str) -> str:
    path = PurePosixPath(file)
    return path.parent.name if path.stem in FOLDERS else path.stem


def _plain(name: str) -> str:
    return name.strip("_").replace("-", "_").casefold()
