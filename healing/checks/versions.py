"""Which versions of languages a job of CI runs with."""

import re
from collections.abc import Iterable, Mapping

from healing.checks.actions import effect
from healing.checks.expressions import Value, text
from healing.checks.job import Step, WorkflowJob

ASKING = {
    "Python": "python --version",
    "Node.js": "node --version",
    "Go": "go version",
    "Rust": "rustc --version",
    "Ruby": "ruby --version",
}
# Under which a matrix has the version, where a script installs it (`nvm install ${{ matrix.node-version }}`).
KEYS = re.compile(r"(?P<Python>py|python)|(?P<Node>node|nodejs)|(?P<Go>go|golang)|(?P<Rust>rust)|(?P<Ruby>ruby)")
NUMBER = re.compile(r"v?(\d{1,4}(?:\.\d{1,4}){0,3})(?:\.[x*])?\Z")

Runtime = tuple[str, str]  # a language, and the version as the file names it


def runtimes(job: WorkflowJob, step: Step) -> tuple[Runtime, ...]:
    """What a step runs with: as the actions before it set it up, and as the job's matrix names it."""
    before = [one for one in job.steps if one.uses and one.number < step.number and one.reached is not False]
    by_actions = [(done.language, done.version) for one in before if (done := effect(one.uses or "", one.given))]
    found = [*by_actions, *_of_matrix(job.matrix)]
    return tuple(dict.fromkeys((language, version) for language, version in found if language in ASKING and version))


def _of_matrix(matrix: Mapping[str, Value]) -> Iterable[Runtime]:
    for key, value in matrix.items():
        name = re.sub(r"[-_]?versions?\Z", "", key.lower())
        if found := KEYS.fullmatch(name):
            language = found.lastgroup or ""
            yield ("Node.js" if language == "Node" else language), text(value)


def parts(version: str) -> list[int]:
    """The numbers of a version, to compare; none of what is no number (`stable`, `>=3.9`)."""
    found = NUMBER.match(version)
    return [int(part) for part in found[1].split(".")] if found else []


def fits(version: str, has: str) -> bool:
    """Whether `has`, a whole version, is one that a file calls `version` (20, 20.x, v18.1)."""
    wanted = parts(version)
    return parts(has)[: len(wanted)] == wanted
