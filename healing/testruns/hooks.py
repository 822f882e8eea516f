"""Makes test runners report to Heal without a change to the command: a folder of stand-alone files that the runners'
languages load through environment variables, and beside them a socket to Heal (collector.py).

If a command replaces the variables (`PYTHONPATH=src pytest`, tox), nothing is loaded and nothing changes: such a run is
counted by its output.
"""

import re
import shlex
import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from healing.sandbox.temporary import private_folder
from healing.testruns.collector import Collector, collecting

INSIDE = Path(__file__).with_name("inside")
PLAIN = re.compile(r"/[\w./-]{1,90}\Z")  # a path that is safe in variables that are split at spaces and colons
# Other programs than test binaries run directly, without waiting for Python: cargo starts each doc example this way.
RUN = """#!/bin/sh
case "$1" in
  */deps/*) ;;
  */*) case " $* " in *" -test."*) ;; *) exec "$@" ;; esac ;;
esac
exec {python} -IS {script} {name} "$@"
"""
OWN_REPORTER = "--test-reporter"  # node accepts several reporters only if each has a destination

PYTHON = 'export PYTHONPATH="{folder}${{PYTHONPATH:+:$PYTHONPATH}}"'
NODE = """case $(node --version 2>/dev/null) in
  v18.1[5-9].*|v18.2?.*|v2?.*|v[3-9]?.*) export NODE_OPTIONS="${{NODE_OPTIONS:+$NODE_OPTIONS }}{options}" ;;
esac"""
GO = """if heal_go=$(go env GOVERSION GOFLAGS 2>/dev/null); then
  {{ read -r heal_version; read -r heal_flags; }} <<EOF
$heal_go
EOF
  case $heal_version in go1.1[0-9]|go1.1[0-9].*|'') heal_binary=binary ;; *) heal_binary=marked ;; esac
  case $heal_flags in *-exec*) ;; *) export GOFLAGS="${{heal_flags:+$heal_flags }}-exec={folder}/$heal_binary" ;; esac
fi
unset heal_go heal_version heal_flags heal_binary"""
RUST = """if ! grep -qs runner .cargo/config.toml .cargo/config "$HOME/.cargo/config.toml"; then
  heal_target=$(uname -m | tr a-z A-Z)_UNKNOWN_LINUX
  export "CARGO_TARGET_${{heal_target}}_GNU_RUNNER={folder}/binary"
  export "CARGO_TARGET_${{heal_target}}_MUSL_RUNNER={folder}/binary"
  unset heal_target
fi"""


@dataclass(frozen=True)
class Hooks:
    """`text` is bash that a step runs before its own script; `folder` has to be readable for it, and if there are no
    sockets inside the sandbox, the pipe in it has to be writable."""

    folder: Path
    collector: Collector
    text: str
    pipe: Path | None


@asynccontextmanager
async def install_hooks(
    paths: Iterable[str], invocations: str, python: str, roots: frozenset[str], by_socket: bool
) -> AsyncIterator[Hooks]:
    """Hooks for one run of a check on a tree with these `paths`. `invocations`: the command and the scripts' files,
    which show how the runners are called. `python`: an interpreter in the sandbox. `roots`: the paths of the worktree,
    outside and inside. `by_socket`: whether the command may connect to a socket."""
    async with private_folder(None) as folder:
        for file in INSIDE.iterdir():
            if file.is_file():
                shutil.copy(file, folder / file.name)
        for name in ("binary", "marked"):
            (folder / name).write_text(
                RUN.format(python=shlex.quote(python), script=shlex.quote(str(folder / "binary.py")), name=name)
            )
            (folder / name).chmod(0o755)
        folder.chmod(0o755)
        report = folder / "report"
        async with collecting(report, roots, by_socket) as collector:
            yield Hooks(folder, collector, text_for(folder, paths, invocations), None if by_socket else report)


def text_for(folder: Path, paths: Iterable[str], invocations: str) -> str:
    """The bash text that sets the variables for the languages in the tree."""
    if not PLAIN.match(str(folder)):
        return ""
    names = {path.rpartition("/")[2] for path in paths}
    options = f"--require={folder}/preload.cjs"
    if OWN_REPORTER not in invocations:
        options += f" {OWN_REPORTER}={folder}/node_test.mjs"
    parts = {
        PYTHON: any(name.endswith(".py") for name in names),
        NODE: "package.json" in names or any(name.endswith((".mjs", ".cjs", ".js", ".ts")) for name in names),
        GO: "go.mod" in names,
        RUST: "Cargo.toml" in names,
    }
    return "\n".join(part.format(folder=folder, options=options) for part, wanted in parts.items() if wanted)
