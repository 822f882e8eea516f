"""Records the samples of JavaScript's tools. `HEAL_JS_TOOLS=folder python -m tests.logs.recorders.javascript [name…]`.

The folder holds, for each set of SETS, a folder of that name in which its packages were installed by npm.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.logs import record
from tests.logs.recorders.javascript_runs import RUNS

SETS = {  # tools that can't live in one node_modules, or that one project never has together
    "a": "eslint@8 and its formatters, standard, oxlint, biome 2, 1.9 and 1.2, prettier 3 and 2, stylelint, tslint,"
    " jshint, remark-cli, markdownlint-cli(2), svelte-check, vue-tsc, typescript@5",
    "b": "jest@29 vitest@3 mocha ava tape tap@16 jasmine",
    "c": "webpack@5 vite@6 rollup esbuild parcel @babel/cli @swc/cli typedoc ts-loader ts-node tsx typescript@5",
    "d": "jest@30 and @27, vitest@1 and @0.34, tap@18, flow-bin, pnpm, yarn@1, ts-jest, @playwright/test",
    "e": "next@15 react react-dom typescript@5",
    "f": "karma karma-jasmine karma-jsdom-launcher jasmine-core deno bun",
    "g": "ava@3",
    "h": "tstyche typescript@5",
}
TOOLS = Path(os.environ.get("HEAL_JS_TOOLS", "node-tools")).resolve()


def run(tools: str, project: dict[str, str], command: str) -> str:
    """What `command` prints in `project` with the tools of the set, with neutral paths."""
    modules = TOOLS / tools / "node_modules"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in project.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (root / "node_modules").symlink_to(modules)
        environment = {
            "PATH": f"{modules}/.bin:{os.environ['PATH']}",
            "HOME": folder,
            "CI": "true",
            "TOOLS": str(modules),
            "NO_UPDATE_NOTIFIER": "1",
            "npm_config_update_notifier": "false",
        }
        done = subprocess.run(
            command,
            shell=True,
            cwd=root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        text = done.stdout.decode().replace(str(modules), f"{record.HOME}/node_modules").replace(str(root), record.HOME)
        return re.sub(r"/\S{0,80}/_logs/\S{1,80}", "/home/runner/.npm/_logs/debug.log", text)


def main() -> None:
    """Writes the samples that are named, or all."""
    for name, (tools, project, command) in RUNS.items():
        if len(sys.argv) > 1 and not name.startswith(tuple(sys.argv[1:])):
            continue
        path = record.SAMPLES / f"{name}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(run(tools, project, command))
        found = json.dumps(record.expected(path.read_bytes()), indent=1, ensure_ascii=False)
        path.with_suffix(".json").write_text(found + "\n")


if __name__ == "__main__":
    main()
