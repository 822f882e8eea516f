"""Artifacts of workflow runs, and the small part of actions/upload-artifact that the local Actions support."""

import hashlib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from glob import iglob
from io import BytesIO
from pathlib import Path
from typing import Any

from lab.localhub.ci_state import Artifact, WorkflowRun
from lab.localhub.hub import Hub

UPLOAD = "actions/upload-artifact@"
RUNS_AFTER_FAILURE = (
    "always()",
    "failure()",
    "!cancelled()",
)  # conditions under which a step also runs after a failed one


@dataclass(frozen=True)
class Upload:
    """An upload step: the artifact's name, globs of its files, and whether it also runs after a failed step."""

    name: str
    globs: tuple[str, ...]
    after_failure: bool

    def files(self, root: Path) -> dict[str, bytes]:
        """Returns path in the work folder → content."""
        return {path: (root / path).read_bytes() for path in sorted(set(self._paths(root)))}

    def _paths(self, root: Path) -> Iterator[str]:
        for glob in self.globs:
            for found in iglob(glob, root_dir=root, recursive=True):
                place = root / found
                inside = place.rglob("*") if place.is_dir() else [place]
                kept = (p for p in inside if p.is_file() and not p.is_symlink() and p.resolve().is_relative_to(root))
                yield from (p.relative_to(root).as_posix() for p in kept)


def uploads(workflow: bytes, job_id: str) -> dict[int, Upload]:
    """Returns the upload steps of a job by their 1-based numbers, from the workflow file."""
    from ruamel.yaml import YAML

    tree: Any = YAML(typ="safe", pure=True).load(workflow.decode("utf-8", "replace"))
    steps = tree["jobs"].get(job_id, {}).get("steps") or []
    numbered = ((number, step) for number, step in enumerate(steps, 1) if str(step.get("uses", "")).startswith(UPLOAD))
    return {number: _upload(step) for number, step in numbered}


def _upload(step: dict[str, Any]) -> Upload:
    given = step.get("with") or {}
    globs = tuple(line.strip() for line in str(given.get("path", "")).splitlines() if line.strip())
    condition = str(step.get("if", ""))
    return Upload(str(given.get("name", "artifact")), globs, any(word in condition for word in RUNS_AFTER_FAILURE))


def store(hub: Hub, run: WorkflowRun, name: str, files: dict[str, bytes]) -> Artifact:
    """Stores files as an artifact of a run, as GitHub does: in one zip archive."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return keep(hub, run, name, packed.getvalue())


def keep(hub: Hub, run: WorkflowRun, name: str, data: bytes) -> Artifact:
    """Stores exactly these bytes as an artifact of a run."""
    with hub.lock:
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        artifact = Artifact(hub.next_id(), run.repo_id, run.id, name, data, digest, hub.now())
        hub.artifacts[artifact.id] = artifact
        return artifact
