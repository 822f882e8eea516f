"""Small repositories made of real packages, of npm's, Debian's (Go, Rust) and Python's; and what checks them."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import files as distribution_files
from pathlib import Path

from tests.npm import NoNpmError, node_modules

Files = dict[str, str]
GO = Path("/usr/share/gocode/src/github.com")
RUST = Path("/usr/share/cargo/registry")
ESLINT_CONFIG = "eslint.config.js"
ESLINT = """\
const js = require("@eslint/js");
const globals = { require: "readonly", module: "writable", process: "readonly", console: "readonly" };
module.exports = [
  js.configs.recommended,
  {
    rules: { "prefer-const": "error", eqeqeq: "error", "no-unused-vars": ["error", { caughtErrors: "none" }] },
    languageOptions: { sourceType: "commonjs", globals },
  },
];
"""
TSCONFIG = """\
{
  "compilerOptions": {
    "strict": true,
    "noEmit": true,
    "noUnusedLocals": true,
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler"
  },
  "include": ["src"]
}
"""


@dataclass(frozen=True)
class Source:
    """One package as a repository. `commands` are its CI, `peer` what a service that runs formatters and linters with
    their own fixes would run; `setup` comes before either."""

    language: str
    package: str
    files: Files
    commands: tuple[str, ...]
    peer: str
    setup: str = ""


def sources() -> Iterator[Source]:
    """Those that this machine has."""
    yield from _python()
    yield from _node()
    yield from _go()
    yield from _rust()


def missing() -> tuple[str, ...]:
    """What to install for the rest."""
    wanted = [
        (GO / "pkg/errors", "golang-github-pkg-errors-dev"),
        (RUST / "either-1.6.1", "librust-either-dev"),
        (RUST / "fnv-1.0.7", "librust-fnv-dev"),
    ]
    found = [package for place, package in wanted if not place.is_dir()]
    return (*found, *(["nodejs npm"] if not shutil.which("npm") else []))


def _python() -> Iterator[Source]:
    for package in ("iniconfig", "pluggy"):
        listed = [f for f in distribution_files(package) or () if f.suffix == ".py" and "_version" not in f.name]
        files = {str(f): Path(str(f.locate())).read_text() for f in listed}
        files["pyproject.toml"] = '[tool.ruff.lint]\nselect = ["E4", "E7", "E9", "F", "I"]\n'
        commands = ("ruff check .", "ruff format --check .")
        yield Source("Python", package, files, commands, "ruff check --fix .; ruff format .")


def _node() -> Iterator[Source]:
    try:
        modules = node_modules()
    except NoNpmError:
        return
    setup = f"ln -sfn {modules} node_modules"
    own = {".gitignore": "node_modules\n", "package.json": '{ "private": true }\n'}
    folders = ("classes", "functions", "internal", "ranges")
    semver = {**own, **_texts(modules / "semver", folders, ".js"), ESLINT_CONFIG: ESLINT}
    yield Source("JavaScript", "semver", semver, ("npx eslint .",), "npx eslint --fix .", setup)
    pretty = {path: text for path, text in semver.items() if path != ESLINT_CONFIG}
    yield Source("JavaScript", "semver", pretty, ("npx prettier --check .",), "npx prettier --write .", setup)
    glob = _texts(modules / "@isaacs/nonrecursive-glob-match", ("src",), ".ts")
    if glob:
        files = {**own, **glob, "tsconfig.json": TSCONFIG}
        # What such services run for TypeScript: they know linters, and linters don't know types.
        yield Source(
            "TypeScript", "nonrecursive-glob-match", files, ("npx tsc -p .",), "npx prettier --write src", setup
        )


def _go() -> Iterator[Source]:
    for package in ("pkg/errors", "google/uuid"):
        found = {p.name: p.read_text() for p in sorted((GO / package).glob("*.go")) if not p.name.endswith("_test.go")}
        if found and shutil.which("go", path="/usr/bin"):
            files = {**found, "go.mod": f"module github.com/{package}\n\ngo 1.19\n"}
            commands = ("go vet ./...", 'test -z "$(gofmt -l .)" || { gofmt -d .; exit 1; }')
            yield Source("Go", package, files, commands, "gofmt -w .")


def _rust() -> Iterator[Source]:
    for package in ("either-1.6.1", "fnv-1.0.7"):
        folder = RUST / package
        if folder.is_dir() and shutil.which("cargo", path="/usr/bin"):
            name, _, version = package.rpartition("-")
            manifest = f'[package]\nname = "{name}"\nversion = "{version}"\nedition = "2018"\n'
            manifest += '\n[features]\ndefault = ["std"]\nstd = []\nuse_std = []\n'
            files = {p.relative_to(folder).as_posix(): p.read_text() for p in sorted(folder.glob("*.rs"))}
            files |= {p.relative_to(folder).as_posix(): p.read_text() for p in sorted(folder.glob("src/*.rs"))}
            library = "" if "src/lib.rs" in files else '\n[lib]\npath = "lib.rs"\n'
            files = {**files, "Cargo.toml": manifest + library, ".gitignore": "target\nCargo.lock\n"}
            commands = ("cargo check", "cargo fmt --check")
            yield Source("Rust", package, files, commands, "cargo clippy --fix --allow-no-vcs --allow-dirty; cargo fmt")


def _texts(package: Path, folders: tuple[str, ...], ending: str) -> Files:
    found = [p for folder in folders for p in sorted((package / folder).rglob(f"*{ending}"))]
    return {p.relative_to(package).as_posix(): p.read_text() for p in found}
