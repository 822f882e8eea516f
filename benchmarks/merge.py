"""Our three-way merge beside `git merge-tree`: 5,000 pairs of changes such as agents make, and 1,000 nasty ones.

What agents make: edits of lines, new files, now and then a deletion or a mode, in Python-like files whose lines repeat
as lines do; half of the pairs touch the same file. Nasty: files and folders are moved and made links, texts are of
three words. Ours follows no rename and gives up where an alignment is ambiguous; it must never be clean where git
conflicts, nor clean with another tree.
"""

import asyncio
import os
import random
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.shape import Goal, Result
from healing.git import Git
from healing.git.transport import open_local

SEED, USUAL, NASTY = 11, 5000, 1000
Files = dict[str, tuple[int, bytes]]
LINES = (
    "", "    return value", "    def run(self):", "        pass", "import os", "    x = 1", "# ---", "    if value:",
)  # fmt: skip


async def measure() -> Result:
    """How often both say the same, and milliseconds a merge."""
    return await asyncio.to_thread(_measure)


def _measure() -> Result:
    dice = random.Random(SEED)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="heal-benchmark-", dir=memory) as folder:
        usual = _compare(Path(folder, "usual"), [_usual(dice) for _ in range(USUAL)])
        nasty = _compare(Path(folder, "nasty"), [_nasty(dice) for _ in range(NASTY)])
    rows: list[dict[str, Any]] = [{"pairs": "usual", **usual}, {"pairs": "nasty", **nasty}]
    same = usual["same"] / USUAL
    wrong = sum(found["clean, but different"] + found["clean where git conflicts"] for found in (usual, nasty))
    goals = [
        Goal("clean, but different from git or where git conflicts", "0", float(wrong), wrong == 0),
        Goal("the same as git on the usual pairs", ">= 0.998", round(same, 5), same >= 0.998),
    ]
    return Result("merge", SEED, rows, goals, ("dulwich",))


def _compare(room: Path, histories: list[tuple[Files, Files, Files]]) -> dict[str, float]:
    bare = room / "repo.git"
    bare.mkdir(parents=True)
    _git(bare, "init", "-q", "--bare", ".")
    _git(bare, "fast-import", "--quiet", data=_stream(histories))
    listed = _git(bare, "for-each-ref", "--format=%(refname:short) %(tree) %(objectname)").stdout.decode().splitlines()
    trees = {line.split()[0]: line.split()[1] for line in listed}
    began = time.perf_counter()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = list(pool.map(lambda number: _by_git(bare, number), range(len(histories))))
    by_git = time.perf_counter() - began
    with Git.open(room / "store.git") as store:
        store.fetch(open_local(bare), [line.split()[2] for line in listed], depth=1)
        began = time.perf_counter()
        ours = [store.merge(*(trees[f"{kind}{number}"] for kind in "bot")).tree for number in range(len(histories))]
        by_us = time.perf_counter() - began
    pairs = list(zip(ours, judged, strict=True))
    return {
        "number": len(pairs),
        "same": sum(one == other for one, other in pairs),
        "git clean": sum(other is not None for other in judged),
        "conflict where git is clean": sum(one is None and other is not None for one, other in pairs),
        "clean where git conflicts": sum(one is not None and other is None for one, other in pairs),
        "clean, but different": sum(None not in (one, other) and one != other for one, other in pairs),
        "ms": round(by_us / len(pairs) * 1000, 3),
        "git ms": round(by_git / len(pairs) * 1000, 3),
    }


def _by_git(bare: Path, number: int) -> str | None:
    """The merged tree; None: conflict."""
    done = _git(bare, "merge-tree", "--write-tree", f"o{number}", f"t{number}", ok=(0, 1))
    return done.stdout.decode().split()[0] if done.returncode == 0 else None


def _text(dice: random.Random) -> bytes:
    """Lines of code: most are one of a kind, a third repeats."""
    lines = [
        dice.choice(LINES) if dice.random() < 0.33 else f"    value_{dice.randrange(10**6)} = {dice.randrange(100)}"
        for _ in range(dice.randrange(20, 120))
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _edited(dice: random.Random, text: bytes) -> bytes:
    """A hunk of one to three lines replaced, inserted or deleted, once or twice."""
    lines = text.splitlines(keepends=True)
    for _ in range(dice.randint(1, 2)):
        at = dice.randrange(len(lines) + 1)
        new = [f"    changed_{dice.randrange(1000)}()\n".encode() for _ in range(dice.randint(1, 3))]
        lines[at : at + dice.choice([0, 1, 1, 2, 3])] = new if dice.random() < 0.85 else []
    return b"".join(lines)


def _usual(dice: random.Random) -> tuple[Files, Files, Files]:
    base: Files = {f"pkg/module{number}.py": (0o100644, _text(dice)) for number in range(5)}
    common = dice.choice(sorted(base)) if dice.random() < 0.5 else None
    return base, _proposal(dice, base, common), _proposal(dice, base, common)


def _proposal(dice: random.Random, base: Files, common: str | None) -> Files:
    files = dict(base)
    for path in {common or dice.choice(sorted(base)), *dice.sample(sorted(base), dice.choice([0, 0, 1]))}:
        mode, text = files[path]
        what = dice.random()
        if what < 0.03:
            del files[path]
        elif what < 0.06:
            files[path] = (mode ^ 0o111, text)
        else:
            files[path] = (mode, _edited(dice, text))
    if dice.random() < 0.15:
        files[f"pkg/new{dice.randrange(20)}.py"] = (0o100644, _text(dice))
    return files


PATHS = ("a", "b", "d/x", "d/y", "d/e/z", "n", "d/n", "m/k")
WORDS = (b"p\n", b"q\n", b"r\n")


def _nasty(dice: random.Random) -> tuple[Files, Files, Files]:
    base: Files = {}
    for path in PATHS[:5]:
        base[path] = (0o100644, b"".join(dice.choice(WORDS) for _ in range(dice.choice([4, 12]))))
    return base, _torn(dice, base), _torn(dice, base)


def _torn(dice: random.Random, base: Files) -> Files:
    files = dict(base)
    for _ in range(dice.randint(1, 3)):
        path, other = dice.choice(PATHS), dice.choice(PATHS)
        mode, text = files.get(path, (0o100644, b"new\n"))
        what = dice.choice(["edit", "edit", "delete", "move", "folder", "link"])
        if what == "edit":
            files[path] = (mode, text + dice.choice(WORDS) if dice.random() < 0.5 else dice.choice(WORDS) + text)
        elif what == "link":
            files[path] = (0o120000, b"a")
        elif what == "folder":
            files = {"m/" + name[2:] if name.startswith("d/") else name: entry for name, entry in files.items()}
        elif path in files:
            moved = files.pop(path)
            files |= {other: moved} if what == "move" else {}
    return {path: entry for path, entry in files.items() if not any(path.startswith(f"{other}/") for other in files)}


def _stream(histories: list[tuple[Files, Files, Files]]) -> bytes:
    """All of them for `git fast-import`: a commit for each base (b0…) and one on it for each side (o0…, t0…)."""
    stream: list[bytes] = []
    for number, history in enumerate(histories):
        for kind, files in zip("bot", history, strict=True):
            stream.append(f"commit refs/heads/{kind}{number}\ncommitter A <a@x> 0 +0000\ndata 0\n".encode())
            stream.append(f"from refs/heads/b{number}\n".encode() if kind != "b" else b"")
            stream.append(b"deleteall\n")
            for path, (mode, text) in sorted(files.items()):
                stream.append(f"M {mode:o} inline {path}\ndata {len(text)}\n".encode() + text + b"\n")
    return b"".join(stream)


def _git(at: Path, *words: str, data: bytes = b"", ok: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *words], cwd=at, input=data, capture_output=True, env=environment, check=False)
    assert done.returncode in ok, (words, done.stderr)
    return done
