"""TypeScript and JavaScript beside madge and dependency-cruiser: the sources that well-known npm packages ship."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.graph.compared import Compared, edges, read
from healing.graph import Graph

PACKAGES = {"immer@10.1.1": "src", "rxjs@7.8.1": "src", "@reduxjs/toolkit@2.5.0": "src", "preact@10.25.4": "src", "express@4.21.2": "lib"}  # fmt: skip  # noqa: E501
ENDINGS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs")
BESIDE = "typescript@5.7.2"  # by which both read TypeScript
MADGE = """
import madge from 'madge';
const dir = process.argv[2];
const start = process.hrtime.bigint();
const how = {mixedImports: true, skipTypeImports: false};
const found = await madge(dir, {baseDir: dir, fileExtensions: ['ts', 'tsx', 'js', 'jsx', 'mjs', 'cjs'],
  detectiveOptions: {ts: how, tsx: how, es6: {mixedImports: true}}});
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
const edges = Object.entries(found.obj()).flatMap(([one, targets]) => targets.map((to) => [one, to]));
console.log(JSON.stringify({edges, seconds}));
"""
CRUISER = """
import {cruise} from 'dependency-cruiser';
process.chdir(process.argv[2]);
const start = process.hrtime.bigint();
const found = await cruise(['.'], {tsPreCompilationDeps: true, doNotFollow: {path: 'node_modules'}},
  {extensions: ['.ts', '.tsx', '.js', '.jsx', '.mjs', '.cjs', '.d.ts']});
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
const every = found.output.modules.flatMap((one) => one.dependencies
  .filter((to) => !to.couldNotResolve && !to.coreModule).map((to) => [one.source, to.resolved, to.dependencyTypes]));
const named = (edge) => edge[2].every((type) => type.startsWith('triple-slash') || type === 'local');
const edges = every.filter((edge) => !named(edge)).map((edge) => edge.slice(0, 2));
console.log(JSON.stringify({edges, seconds, named: every.length - edges.length}));
"""


@dataclass(frozen=True)
class Peer:
    """`program` prints edges and seconds of the folder that it is given."""

    name: str
    package: str
    program: str


PEERS = (Peer("madge", "madge@8.0.0", MADGE), Peer("dependency-cruiser", "dependency-cruiser@17.3.9", CRUISER))


def compared(folder: Path) -> list[Compared]:
    """Each package, fetched into `folder`, beside each peer."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "package.json").write_text('{"private": true}')
    install = ["npm", "install", "--silent", "--no-fund", "--no-audit", *(peer.package for peer in PEERS), BESIDE]
    if not shutil.which("npm") or _run(install, tools) is None:
        return [Compared("all", "madge, dependency-cruiser", problem="npm or one of them could not be had")]
    for peer in PEERS:
        (tools / f"{peer.name}.mjs").write_text(peer.program)
    return [one for name, sources in PACKAGES.items() for one in _of(name, sources, tools)]


def _of(name: str, sources: str, tools: Path) -> list[Compared]:
    fetched = _run(["npm", "pack", "--silent", name], tools)
    if fetched is None:
        return [Compared(name, peer.name, problem="could not be fetched") for peer in PEERS]
    root = tools.parent / name.replace("/", "-")
    root.mkdir()
    shutil.unpack_archive(tools / fetched.split()[-1], root, "gztar", filter="data")
    kept = root / "kept"
    kept.mkdir()
    top = next(path for path in root.iterdir() if path.is_dir() and path != kept)
    (top / sources).rename(kept / sources)
    graph, seconds = read(kept, *ENDINGS)
    return [_beside(peer, name, kept, tools, graph, seconds) for peer in PEERS]


def _beside(peer: Peer, name: str, kept: Path, tools: Path, graph: Graph, seconds: float) -> Compared:
    reported = _run(["node", f"{peer.name}.mjs", str(kept)], tools)
    if reported is None:
        return Compared(name, peer.name, problem=f"{peer.name} failed")
    output = json.loads(reported)
    theirs = frozenset((one, to) for one, to in output["edges"])
    ours, why = frozenset(edges(graph)), ""
    if output.get("named"):
        why = f"{output['named']} edges of `/// <reference path>`, which imports nothing, are none of Heal's"
    return Compared(name, peer.name, len(graph.files), seconds, output["seconds"], ours, theirs, why)


def _run(argv: list[str], cwd: Path) -> str | None:
    done = subprocess.run(argv, cwd=cwd, check=False, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None
