"""A generated repository of 5,000 files: from nothing, with everything known, and after a change of one file."""

import random
import time
from statistics import median

from healing.graph import Cache, import_graph
from healing.view import DictView

SEED = 4
FILES = 5_000
ROUNDS = 5


def seconds() -> dict[str, float]:
    """Seconds of the processor from a tree to the answer which files a change of one concerns; the median of rounds."""
    files = _files(random.Random(SEED))
    path = sorted(files)[FILES // 2]
    before = _View(files)
    trees = [_View({**files, path: files[path] + b"\nimport pkg1.m1\n# %d" % number}) for number in range(ROUNDS)]
    cache = Cache()
    start = time.process_time()
    import_graph(before, cache).with_dependents([path])
    cold = time.process_time() - start
    return {
        "cold": cold,
        "nothing changed": median(_took(before, cache, path) for _ in range(ROUNDS)),
        "one file changed": median(_took(tree, cache, path) for tree in trees),
    }


def _took(view: DictView, cache: Cache, path: str) -> float:
    start = time.process_time()
    import_graph(view, cache).with_dependents([path])
    return time.process_time() - start


class _View(DictView):
    """Knows its blobs' ids and paths, as git does."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(files)
        self._paths = tuple(sorted(files))
        self._blobs = {path: DictView.blob(self, path) for path in files}

    def paths(self) -> tuple[str, ...]:
        return self._paths

    def blob(self, path: str) -> str | None:
        return self._blobs.get(path)


def _files(pick: random.Random) -> dict[str, bytes]:
    found = {f"src/pkg{number}/__init__.py": b"" for number in range(50)}
    for number in range(FILES - 50):
        used = sorted({pick.randrange(FILES - 50) for _ in range(6)})
        imports = "".join(f"from pkg{one % 50}.m{one} import act{one}\n" for one in used)
        body = f"\n\ndef act{number}(value: int) -> int:\n    return value + {number}\n" * 3
        found[f"src/pkg{number % 50}/m{number}.py"] = (imports + body).encode()
    return found
