"""Worktrees: 50 for agents of a repository of 10,000 files, what is fetched of one, and the whole way of 50 commands
from fetch to push.

Peer: 50 × `git worktree add` and `git worktree remove` of the same commit on the same disk in the same run. Layered
worktrees lie over one base, whose making is a row of its own; whole ones are copies of it. Copies that are used again
(where no overlay works) are measured on the disk of the temporary folder, beside 10 × git there: a disk in memory
doesn't tell what was changed. In each one a command changes a file and leaves another; time is that of making, putting
right and, at the end, removing all 50, as many at a time as there are processors. Nothing is removed there before both
have made theirs: for minutes after files were removed, a disk without a journal makes new ones many times slower.

What is fetched comes from `git http-backend` over HTTP, of 400 commits that change 60 files each; MB are what it sent.
"""

import asyncio
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.shape import Goal, Result
from benchmarks.worktrees import mirror
from healing.files.removal import remove_tree
from healing.git import Git
from healing.git.transport import open_local
from healing.sandbox.job import Job, Sandbox
from healing.sandbox.probe import probe
from healing.worktrees import Worktree, Worktrees

SEED, FILES, FOLDERS, TREES, COPIES, CHANGED = 4, 10_000, 400, 50, 10, 3
FILES_OF_TRIAL = 11_000
AT_ONCE = 4  # commands of the whole way
ROOM = 8 << 30
Made = tuple[float, int, float]  # seconds to make, bytes, seconds to remove


async def measure() -> Result:
    """Seconds, megabytes, and their ratios to git's, for one worktree where the number differs."""
    memory = Path("/dev/shm")  # where both sides are as fast as they can be
    there = memory if memory.is_dir() and shutil.disk_usage(memory).free > ROOM else None
    room = Path(tempfile.mkdtemp(prefix="heal-benchmark-", dir=there))
    room.chmod(0o711)
    try:
        return await _measure(room)
    finally:
        await asyncio.to_thread(remove_tree, room)


async def _measure(room: Path) -> Result:
    head = await asyncio.to_thread(_scene, room / "clone", FILES)
    added = await asyncio.to_thread(_added, room / "clone", room / "git", head, TREES)
    peer = (*added, await asyncio.to_thread(_removed, room / "clone", room / "git"))
    looked = await probe(room / "probe")
    if looked.sandbox is None:
        raise SystemExit(f"no sandbox works here: {looked.tried}")
    trees = Worktrees(room / "data", looked.sandbox.owner)
    rows = [_row(f"{TREES} x git worktree add (peer)", TREES, peer, peer)]
    with trees.mirror("bench/mark") as git:
        await asyncio.to_thread(git.fetch, open_local(room / "clone"), [head])
        base = (await _timed(lambda: trees.base("run", git, head)))[0]
        files = trees.data / "bases"
        rows.append(_row("one base, kept for the run", TREES, (base, _disk(files), 0.0), peer))
        layered = await _held(trees, git, [head] * TREES, layered=True)
        rows.append(_row(f"{TREES} layered worktrees", TREES, layered, peer))
        whole = (base + layered[0], _disk(files) + layered[1], layered[2])
        rows.append(_row("the base and its layered worktrees", TREES, whole, peer))
        others = [_edited(git, head, number) for number in range(TREES)]
        changed = await _held(trees, git, others, layered=True)
        rows.append(_row(f"{TREES} layered worktrees of other trees", TREES, changed, peer))
        copies = await _held(trees, git, [head] * COPIES, layered=False)
        rows.append(_row(f"{COPIES} copies", COPIES, copies, peer))
    trees.close()
    rows += await _on_disk(looked.sandbox)
    fetched = await mirror.rows(room)
    way = await _whole_way(room, looked.sandbox)
    for name, (seconds, processor) in way.items():
        rows.append({"what": f"whole way: {name}", "seconds": round(seconds, 3), "processor": round(processor, 3)})
    goals = _goals(rows, sum(wall for wall, _ in way.values())) + mirror.goals(fetched)
    return Result("worktrees", SEED, rows + fetched, goals, ("dulwich",))


def _goals(rows: list[dict[str, object]], way: float) -> list[Goal]:
    layered, copies = rows[2], rows[7]
    bounds = [
        ("layered worktrees, time beside git", layered["time ratio"], 0.02),
        ("layered worktrees, disk beside git", layered["disk ratio"], 0.03),
        ("layered worktrees, removal beside git", layered["removal ratio"], 0.1),
        ("copies that are used again, time beside git", copies["time ratio"], 0.15),
        (f"fetch, {TREES} sandboxed commands, merge and push on {FILES_OF_TRIAL} files, seconds", round(way, 3), 5.0),
    ]
    goals = []
    for name, value, bound in bounds:
        assert isinstance(value, float)
        goals.append(Goal(name, f"<= {bound}", value, value <= bound))
    return goals


def _row(what: str, number: int, made: Made, peer: Made) -> dict[str, object]:
    scale = TREES / number
    ratios = [mine * scale / theirs for mine, theirs in zip(made, peer, strict=True)]
    return {
        "what": what,
        "seconds": round(made[0], 3),
        "time ratio": round(ratios[0], 4),
        "MB": round(made[1] / 1e6, 1),
        "disk ratio": round(ratios[1], 4),
        "removal": round(made[2], 3),
        "removal ratio": round(ratios[2], 4),
    }


def _scene(clone: Path, files: int) -> str:
    """A clone with one commit; the commit's id."""
    random.seed(SEED)
    clone.mkdir()
    _git(clone, "init", "-q", "-b", "main")
    for number in range(files):
        place = clone / f"pkg{number % 20}" / f"part{number % FOLDERS}" / f"module{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        lines = random.randrange(10, 200)
        place.write_text("".join(f"value_{n} = {number * n % 7919}\n" for n in range(lines)))
    _git(clone, "add", "-A")
    _git(clone, "commit", "-q", "-m", "start")
    _git(clone, "gc", "-q")
    return _git(clone, "rev-parse", "HEAD")


def _added(clone: Path, room: Path, head: str, trees: int) -> tuple[float, int]:
    """Seconds that git takes to make them, and their bytes."""
    room.mkdir()
    began = time.perf_counter()
    for number in range(trees):
        _git(clone, "worktree", "add", "-q", "--detach", str(room / f"t{number}"), head)
    return time.perf_counter() - began, _disk(room)


def _removed(clone: Path, room: Path) -> float:
    """Seconds that git takes to remove them all."""
    began = time.perf_counter()
    for tree in room.iterdir():
        _git(clone, "worktree", "remove", str(tree))
    return time.perf_counter() - began


async def _held(trees: Worktrees, git: Git, ids: list[str], layered: bool) -> Made:
    """All of them there at the same time."""
    stack = AsyncExitStack()
    began = time.perf_counter()
    for number, tree in enumerate(ids):
        worktree = await stack.enter_async_context(trees.worktree("run", f"t{number}", git, tree, layered))
        assert bool(worktree.layers) == layered, "no layers can be made here"
    made = time.perf_counter() - began
    disk = _disk(trees.data / "trees")
    began = time.perf_counter()
    await stack.aclose()
    return made, disk, time.perf_counter() - began


async def _on_disk(sandbox: Sandbox) -> list[dict[str, object]]:
    """Copies used again, and git's way on the same disk."""
    room = Path(tempfile.mkdtemp(prefix="heal-benchmark-"))
    room.chmod(0o711)
    try:
        head = await asyncio.to_thread(_scene, room / "clone", FILES)
        began = _processor()
        seconds, size = await asyncio.to_thread(_added, room / "clone", room / "git", head, COPIES)
        by_git = (_processor() - began) * TREES / COPIES
        trees = Worktrees(room / "data", sandbox.owner)
        with trees.mirror("bench/mark") as git:
            await asyncio.to_thread(git.fetch, open_local(room / "clone"), [head])
            await trees.base("run", git, head)
            began = _processor()
            used = await _used_again(trees, git, head)
            by_us = _processor() - began
        removal = await asyncio.to_thread(_removed, room / "clone", room / "git")
        peer = (seconds * TREES / COPIES, size * TREES // COPIES, removal * TREES / COPIES)
    finally:
        await asyncio.to_thread(remove_tree, room)
    rows = [("x git worktree add, on the disk (peer)", peer, by_git), ("copies used again, on the disk", used, by_us)]
    return [_row(f"{TREES} {what}", TREES, made, peer) | {"processor": round(cpu, 3)} for what, made, cpu in rows]


async def _used_again(trees: Worktrees, git: Git, head: str) -> Made:
    gate = asyncio.Semaphore(os.cpu_count() or 2)
    paths = git.view(head).paths()

    async def one(number: int) -> None:
        async with gate, trees.worktree("run", f"t{number}", git, head, reuse=True) as worktree:
            (worktree.root / paths[number]).write_bytes(b"changed")
            (worktree.root / "left.pyc").write_bytes(b"over")

    began = time.perf_counter()
    await asyncio.gather(*(one(number) for number in range(TREES)))
    made, disk = time.perf_counter() - began, _disk(trees.data / "trees")
    began = time.perf_counter()
    trees.close()
    return made, disk, time.perf_counter() - began


def _edited(git: Git, head: str, number: int) -> str:
    view = git.view(head)
    chosen = view.paths()[number * CHANGED : (number + 1) * CHANGED]
    return git.write_tree(head, {path: (view.read(path) or b"") + b"more = 1\n" for path in chosen})


async def _whole_way(room: Path, sandbox: Sandbox) -> dict[str, tuple[float, float]]:
    """Seconds by the clock and of processors for each part: 50 commands change three files each, in the sandbox; all
    are merged and pushed."""
    clone, hub = room / "clone2", room / "hub.git"
    head = await asyncio.to_thread(_scene, clone, FILES_OF_TRIAL)
    await asyncio.to_thread(_git, room, "clone", "-q", "--bare", str(clone), str(hub))
    trees, spent = Worktrees(room / "way", sandbox.owner), dict[str, tuple[float, float]]()
    gate = asyncio.Semaphore(AT_ONCE)
    with trees.mirror("bench/way") as git:
        spent["fetch by id"] = await _timed(lambda: asyncio.to_thread(git.fetch, open_local(hub), [head]))
        spent["base"] = await _timed(lambda: trees.base("run", git, head))
        paths = git.view(head).paths()
        found: dict[int, str] = {}

        async def one(number: int) -> None:
            chosen = [paths[number * CHANGED + change] for change in range(CHANGED)]
            async with gate, trees.worktree("run", f"t{number}", git, head, sandbox.layered) as worktree:
                found[number] = await _change(sandbox, worktree, chosen)

        every = f"{TREES} worktrees, commands and snapshots"
        spent[every] = await _timed(lambda: asyncio.gather(*(one(number) for number in range(TREES))))
        tips: list[str] = []

        def merge() -> None:
            tips.append(_merged(git, head, [found[number] for number in range(TREES)]))

        spent["commits and merge"] = await _timed(lambda: asyncio.to_thread(merge))
        push = (open_local(hub), "refs/heads/healed", tips[0], None)
        spent["push"] = await _timed(lambda: asyncio.to_thread(git.push, *push))
    assert _git(hub, "diff", "--shortstat", head, "healed").startswith(f"{TREES * CHANGED} files changed")
    spent["removal"] = await _timed(lambda: asyncio.to_thread(trees.close))
    return spent


async def _change(sandbox: Sandbox, worktree: Worktree, paths: list[str]) -> str:
    script = 'for file in "$@"; do echo "more = 1" >> "$file"; done'
    done = await sandbox.run(worktree.adapt_job(Job(("sh", "-c", script, "sh", *paths), worktree.root)))
    assert done.exit_code == 0, done
    return await asyncio.to_thread(worktree.snapshot)


def _merged(git: Git, head: str, trees: list[str]) -> str:
    """First come, first served, a commit for each."""
    tip, integration, base = head, git.tree_of(head), git.tree_of(head)
    for number, tree in enumerate(trees):
        merged = git.merge(base, integration, tree).tree
        assert merged is not None
        integration = merged
        tip = git.commit(merged, [tip], f"Change {number}", "N <n@example.test>", datetime(2026, 1, 1, tzinfo=UTC))
    return tip


async def _timed(work: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """Seconds by the clock, and of processors, ours and our children's: that one tells when others are at work too."""
    began, before = time.perf_counter(), _processor()
    await work()
    return time.perf_counter() - began, _processor() - before


def _processor() -> float:
    """Seconds of processors that we and our children took."""
    return sum(os.times()[:4])


def _disk(folder: Path) -> int:
    """Bytes that the folder takes, folders too; a file of many names counts once."""
    done = subprocess.run(["du", "-s", "--block-size=1", str(folder)], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0])


def _git(at: Path, *words: str) -> str:
    who = ("-c", "user.name=N", "-c", "user.email=n@example.test", "-c", "gc.auto=0")
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *who, *words], cwd=at, capture_output=True, text=True, check=True, env=environment)
    return done.stdout.strip()
