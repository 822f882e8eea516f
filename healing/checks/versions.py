"""Which versions of languages a job of CI runs with, and which the repository says it needs."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from healing.checks.actions import effect
from healing.checks.expressions import Value, text
from healing.checks.job import Step, WorkflowJob
from healing.view import TreeView

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


@dataclass(frozen=True)
class Floor:
    """The oldest version of a language that the repository says it works with, and the file that says so."""

    language: str
    version: str
    file: str


SUFFIXES = {
    **dict.fromkeys(("py", "pyi"), "Python"),
    **dict.fromkeys(("js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx"), "Node.js"),
    "go": "Go",
    "rs": "Rust",
}
AT_LEAST = re.compile(r"(?:>=|\^|~=|~)\s*v?(\d{1,4}(?:\.\d{1,4}){0,2})")
DECLARED = (
    ("Python", "pyproject.toml", re.compile(r"""^requires-python\s*=\s*["']([^"'\n]{1,80})""", re.M)),
    ("Python", "setup.cfg", re.compile(r"^python_requires\s*=\s*(.{1,80})$", re.M)),
    ("Python", "setup.py", re.compile(r"""\bpython_requires\s*=\s*["']([^"'\n]{1,80})""")),
    ("Node.js", "package.json", re.compile(r'"engines"\s*:\s*\{[^{}]{0,300}?"node"\s*:\s*"([^"\n]{1,80})"')),
    ("Go", "go.mod", re.compile(r"^go\s+(\d[\d.]{0,20})\s*$", re.M)),
    ("Rust", "Cargo.toml", re.compile(r"""^rust-version\s*=\s*["'](\d[\d.]{0,20})["']""", re.M)),
)


def floors(view: TreeView, files: Iterable[str]) -> tuple[Floor, ...]:
    """What the repository's own files ask for at least, of the languages that these files are written in."""
    languages = {SUFFIXES.get(file.rpartition(".")[2]) for file in files}
    found = {}
    for language, manifest, pattern in DECLARED:
        data = view.read(manifest) if language in languages and language not in found else None
        declared = pattern.search(data.decode(errors="replace")) if data else None
        if declared and (version := _least(declared[1])):
            found[language] = Floor(language, version, manifest)
    return tuple(found.values())


def _least(declared: str) -> str:
    """The least version of a range, the least of several alternatives; empty where it names none."""
    if NUMBER.match(declared):
        return declared
    every = [AT_LEAST.search(one) for one in declared.split("||")]
    return min((one[1] for one in every if one), key=parts) if every and all(every) else ""


def older(has: str, floor: str) -> bool:
    """Whether `has`, a whole version, is older than the least that is allowed."""
    return parts(has) < parts(floor)
