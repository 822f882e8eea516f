"""Runs a real tool on a small broken project and stores what it prints as a sample, with neutral paths."""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.logs import record

Runs = Mapping[str, tuple[Mapping[str, str], str]]  # sample: (project, command)


def run(project: Mapping[str, str], command: str, **settings: str) -> str:
    """What `command` prints in `project`; `settings` are environment variables."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in project.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run(
            command,
            shell=True,
            cwd=root,
            env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "CI": "true", "LC_ALL": "C.UTF-8", **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )
        text = done.stdout.decode(errors="replace").replace(str(root), record.HOME)
        return re.sub(r"/tmp/[\w./-]{4,60}(?=/)", "/tmp/work", text)


def write(runs: Runs, only: Sequence[str], **settings: str) -> None:
    """Writes the samples whose names begin with one of `only`, or all."""
    for name, (project, command) in runs.items():
        if only and not name.startswith(tuple(only)):
            continue
        path = record.SAMPLES / f"{name}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(run(project, command, **settings))
        found = json.dumps(record.expected(path.read_bytes()), indent=1, ensure_ascii=False)
        path.with_suffix(".json").write_text(found + "\n")
