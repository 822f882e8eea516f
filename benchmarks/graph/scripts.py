"""TypeScript and JavaScript beside madge: the sources that well-known npm packages ship."""

import json
import shutil
import subprocess
from pathlib import Path

from benchmarks.graph.compared import Compared, edges, read

PEER = "madge@8.0.0"
PACKAGES = {"immer@10.1.1": "src", "rxjs@7.8.1": "src", "@reduxjs/toolkit@2.5.0": "src", "preact@10.25.4": "src", "express@4.21.2": "lib"}  # fmt: skip  # noqa: E501
ENDINGS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs")
PROGRAM = """
import madge from 'madge';
const dir = process.argv[2];
const start = process.hrtime.bigint();
const how = {mixedImports: true, skipTypeImports: false};
const found = await madge(dir, {baseDir: dir, fileExtensions: ['ts', 'tsx', 'js', 'jsx', 'mjs', 'cjs'],
  detectiveOptions: {ts: how, tsx: how, es6: {mixedImports: true}}});
console.log(JSON.stringify({tree: found.obj(), seconds: Number(process.hrtime.bigint() - start) / 1e9}));
"""


def compared(folder: Path) -> list[Compared]:
    """Each package, fetched into `folder`."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "package.json").write_text('{"private": true}')
    (tools / "peer.mjs").write_text(PROGRAM)
    if (
        not shutil.which("npm")
        or _run(["npm", "install", "--silent", "--no-fund", "--no-audit", PEER, "typescript@5.7.2"], tools) is None
    ):
        return [Compared("all", "madge", problem="npm or madge could not be had")]
    return [_one(name, sources, tools) for name, sources in PACKAGES.items()]


def _one(name: str, sources: str, tools: Path) -> Compared:
    fetched = _run(["npm", "pack", "--silent", name], tools)
    if fetched is None:
        return Compared(name, "madge", problem="could not be fetched")
    root = tools.parent / name.replace("/", "-")
    root.mkdir()
    shutil.unpack_archive(tools / fetched.split()[-1], root, "gztar", filter="data")
    kept = root / "kept"
    kept.mkdir()
    top = next(path for path in root.iterdir() if path.is_dir() and path != kept)
    (top / sources).rename(kept / sources)
    told = _run(["node", "peer.mjs", str(kept)], tools)
    if told is None:
        return Compared(name, "madge", problem="madge failed")
    said = json.loads(told)
    graph, seconds = read(kept, *ENDINGS)
    theirs = frozenset((one, to) for one, targets in said["tree"].items() for to in targets)
    return Compared(name, "madge", len(graph.files), seconds, said["seconds"], frozenset(edges(graph)), theirs)


def _run(argv: list[str], cwd: Path) -> str | None:
    done = subprocess.run(argv, cwd=cwd, check=False, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None
