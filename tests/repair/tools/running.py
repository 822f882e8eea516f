"""Runs a runner's calls on a small repo, for real."""

import subprocess
from pathlib import Path

from healing.repair.tools.call import Call
from healing.sandbox.environment import SYSTEM_PATH
from tests.programs import TOOLS


def run(root: Path, files: dict[str, str], calls: tuple[Call, ...]) -> dict[str, str]:
    """Runs the calls on `files`; gives the contents afterwards. They must work and leave nothing else."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
        (root / name).chmod(0o755 if text.startswith("#!") else 0o644)
    env = {"PATH": f"{TOOLS}:{SYSTEM_PATH}", "HOME": str(root.parent), "LANG": "C.UTF-8"}
    script = "\n".join(["set -e", "export heal_top=$PWD", *(call.text() for call in calls)])
    done = subprocess.run(
        ["bash", "-c", script], cwd=root, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    left = {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file() and not path.is_symlink()}
    assert set(left) == set(files)
    return {name: path.read_text() for name, path in left.items()}
