"""The language versions that a CI job runs with, and those that the repository declares it needs."""

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
# Matrix keys that hold the version, where a script installs it (`nvm install ${{ matrix.node-version }}`).
KEYS = re.compile(r"(?P<Python>py|python)|(?P<Node>node|nodejs)|(?P<Go>go|golang)|(?P<Rust>rust)|(?P<Ruby>ruby)")
NUMBER = re.compile(r"v?(\d{1,4}(?:\.\d{1,4}){0,3})(?:\.[x*])?\Z")

Runtime = tuple[str, str]  # a language, and the version as the file names it


def runtimes(job: WorkflowJob, step: Step) -> tuple[Runtime, ...]:
    """The languages and versions that a step runs with: those set up by the actions before it, and those in the job's
    matrix."""
    before = [prior for prior in job.steps if prior.uses and prior.number < step.number and prior.reached is not False]
    by_actions = [(done.language, done.version) for prior in before if (done := effect(prior.uses or "", prior.given))]
    versions = [*by_actions, *_of_matrix(job.matrix)]
    return tuple(dict.fromkeys((language, version) for language, version in versions if language in ASKING and version))


def _of_matrix(matrix: Mapping[str, Value]) -> Iterable[Runtime]:
    for key, value in matrix.items():
        name = re.sub(r"[-_]?versions?\Z", "", key.lower())
        if match := KEYS.fullmatch(name):
            language = match.lastgroup or ""
            yield ("Node.js" if language == "Node" else language), text(value)


def parts(version: str) -> list[int]:
    """The numbers of a version, for comparison; empty where it is not a plain version (`stable`, `>=3.9`)."""
    match = NUMBER.match(version)
    return [int(part) for part in match[1].split(".")] if match else []


def fits(version: str, has: str) -> bool:
    """Whether `has`, a full version, matches what a file calls `version` (20, 20.x, v18.1)."""
    wanted = parts(version)
    return parts(has)[: len(wanted)] == wanted


@dataclass(frozen=True)
class MinimumVersion:
    """The oldest version of a language that the repository declares support for, and the file that declares it."""

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


def minimum_versions(view: TreeView, files: Iterable[str]) -> tuple[MinimumVersion, ...]:
    """The minimum versions that the repository's own files declare, for the languages that these files are written
    in."""
    languages = {SUFFIXES.get(file.rpartition(".")[2]) for file in files}
    by_language = {}
    for language, manifest, pattern in DECLARED:
        data = view.read(manifest) if language in languages and language not in by_language else None
        declared = pattern.search(data.decode(errors="replace")) if data else None
        if declared and (version := _least(declared[1])):
            by_language[language] = MinimumVersion(language, version, manifest)
    return tuple(by_language.values())


def _least(declared: str) -> str:
    """The lowest version of a range, or of several alternatives; empty where it names none."""
    if NUMBER.match(declared):
        return declared
    bounds = [AT_LEAST.search(bound) for bound in declared.split("||")]
    return min((bound[1] for bound in bounds if bound), key=parts) if bounds and all(bounds) else ""


def older(has: str, floor: str) -> bool:
    """Whether `has`, a full version, is older than the minimum."""
    return parts(has) < parts(floor)
