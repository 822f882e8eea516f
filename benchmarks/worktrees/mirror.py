"""What comes over the wire of a repository of 10,000 files with a history, from `git http-backend` over HTTP.

Peers: `git clone --mirror`, which brings all of it, and `git clone --depth 1`, which brings what checks need.
"""

import asyncio
import base64
import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.shape import Goal
from healing.git import Git
from healing.git.transport import Transport, open_http
from tests.git.http_git import HttpGit
from tests.git.oracle import ENV, git

SEED, FILES, COMMITS, CHANGED = 4, 10_000, 400, 60
SETTINGS = ".github/heal.yml"
SERVES = ("allowFilter", "allowAnySHA1InWant")  # as GitHub does
Row = dict[str, object]


async def rows(room: Path) -> list[Row]:
    """Seconds by the clock, of processors (the server's too), and megabytes that the server sent."""
    return await asyncio.to_thread(_rows, room)


def goals(rows: list[Row]) -> list[Goal]:
    """What is fetched beside all of it."""
    sent = {str(row["what"]): float(str(row["MB"])) for row in rows}
    every = sent["git clone --mirror (peer)"]
    bounds = {"fetch: a commit to read its settings": 0.05, "fetch: a commit, whole": 0.8}
    ratios = {what: round(sent[what] / every, 4) for what in bounds}
    return [
        Goal(f"{what}, bytes beside git clone --mirror", f"<= {bound}", ratios[what], ratios[what] <= bound)
        for what, bound in bounds.items()
    ]


def _rows(room: Path) -> list[Row]:
    scene = room / "scene.git"
    tips = _scene(scene)
    with HttpGit(room / "served", token="t") as server:
        server.add("r.git", scene, SERVES)
        url = f"{server.url}/r.git"

        def measured_row(what: str, act: Callable[[], object]) -> Row:
            return {"what": what, **_measured(server, act)}

        def transport() -> Transport:
            return open_http(url, server.auth)

        found = [
            measured_row("git clone --mirror (peer)", lambda: _clone(server, "--mirror", url, str(room / "mirror"))),
            measured_row(
                "git clone --depth 1 (peer)",
                lambda: _clone(server, "--bare", "--depth", "1", url, str(room / "shallow")),
            ),
        ]
        with Git.open(room / "read") as store:
            found.append(
                measured_row("fetch: a commit to read its settings", lambda: _settings(store, transport(), tips[-1]))
            )
            found.append(measured_row("fetch: then all of it", lambda: store.fetch(transport(), [tips[-1]])))
        with Git.open(room / "run") as store:
            found.append(measured_row("fetch: a commit, whole", lambda: store.fetch(transport(), [tips[-2]])))
            found.append(measured_row("fetch: the next one", lambda: store.fetch(transport(), [tips[-1]])))
            assert len(store.view(tips[-1]).paths()) == FILES + 1
    return found


def _settings(store: Git, transport: Transport, commit: str) -> None:
    store.fetch_files(transport, commit, lambda path: path == SETTINGS)
    assert store.view(commit).read(SETTINGS) == b"verify: local\n"
    assert not store.has_whole(commit)


def _measured(server: HttpGit, act: Callable[[], object]) -> Row:
    before, began, processor = len(server.requests), time.perf_counter(), sum(os.times()[:4])
    act()
    sent = sum(size for *_, size in server.requests[before:])
    return {
        "seconds": round(time.perf_counter() - began, 3),
        "processor": round(sum(os.times()[:4]) - processor, 3),
        "MB": round(sent / 1e6, 2),
    }


def _clone(server: HttpGit, *words: str) -> None:
    login = base64.b64encode(":".join(server.auth()).encode()).decode()
    header = ("-c", f"http.extraHeader=Authorization: Basic {login}")
    subprocess.run(["git", *header, "clone", "-q", *words], env=ENV, check=True)


def _scene(bare: Path) -> list[str]:
    """A bare repository whose files change a little with each commit; its commits, the first one first."""
    git(bare.parent, "init", "-q", "--bare", "-b", "main", str(bare))
    stream = b"".join(_stream(random.Random(SEED)))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=bare, env=ENV, input=stream, check=True)
    git(bare, "gc", "-q")
    return git(bare, "rev-list", "--reverse", "main").decode().split()


def _stream(chance: random.Random) -> Iterator[bytes]:
    """For git fast-import."""
    words = [f"w{number}" for number in range(5_000)]

    def lines(count: int) -> list[str]:
        return [f"{chance.choice(words)} = {chance.choice(words)}({chance.randrange(9_999)})\n" for _ in range(count)]

    def file(path: str, text: str) -> bytes:
        return f"M 100644 inline {path}\ndata {len(text)}\n{text}\n".encode()

    paths = [f"pkg{n % 20}/part{n % 400}/module{n}.py" for n in range(FILES)]
    texts = {path: lines(chance.randrange(10, 200)) for path in paths}
    for number in range(COMMITS):
        yield f"commit refs/heads/main\ncommitter N <n@example.test> {1_000_000 + number} +0000\ndata 1\nc\n".encode()
        if number == 0:
            yield file(SETTINGS, "verify: local\n")
        for path in paths if number == 0 else chance.sample(paths, CHANGED):
            at = chance.randrange(len(texts[path]))
            texts[path][at : at + 1] = lines(2)
            yield file(path, "".join(texts[path]))
        yield b"\n"
