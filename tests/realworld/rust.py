"""Rust: a crate of Debian's with rustc's warnings as errors, rustfmt and its own tests."""

import re
from pathlib import Path

from tests.realworld.fetching import installed
from tests.realworld.language import Language, Seen, Step
from tests.realworld.projects import Files, Project
from tests.realworld.texts import Grammar, slips_of

REGISTRY = Path("/usr/share/cargo/registry")
FOUND = re.compile(r"^(?P<file>[\w./-]+\.rs):\d+:\d+: (?:error|warning)(?:\[(?P<code>\w+)\])?: ", re.M)
DIFF = re.compile(r"^Diff in (?P<file>\S+?\.rs)(?::\d+| at line)", re.M)
RESULT = re.compile(r"^test (?P<name>\S.*?) \.\.\. (?P<how>ok|FAILED)$", re.M)
TESTS = b"#[cfg(test)]"
MANIFEST = b"""[package]
name = "semver"
version = "1.0.14"
edition = "2018"

[features]
default = ["std"]
std = []
serde = []
"""


def _check(seen: Seen, output: str, root: Path) -> None:
    seen.findings.update(("Check", match["file"], match["code"] or "") for match in FOUND.finditer(output))


def _fmt(seen: Seen, output: str, root: Path) -> None:
    seen.findings.update(("Format", match["file"], "") for match in DIFF.finditer(output))


def _test(seen: Seen, output: str, root: Path) -> None:
    for match in RESULT.finditer(output):
        (seen.passed if match["how"] == "ok" else seen.failed).add(match["name"])


RUST = Language(
    name="Rust",
    sources=re.compile(r"^src/.*\.rs$"),
    tests=re.compile(r"^tests/"),
    steps={
        "Check": Step(_check, " --message-format=short", "rustc"),
        "Format": Step(_fmt, tool="rustfmt"),
        "Test": Step(_test),
    },
    makers=slips_of(
        Grammar(
            functions=r"^(?:pub(?:\(\w+\))? )?(?:unsafe )?fn (?P<name>\w+)[^\n;{]*\{$",
            unused="    let leftover = 1;",
            imports=r"^use [\w:]+(?:\{[^}\n]*\})?;\n",
            spare="use std::collections::BTreeMap;\n",
            conditions=r"\bif (?P<it>(?!let )[^\n{]+) \{$",
            wrong_type=r"= (?P<it>\d+)(?=;)",
            inline=TESTS,
            strings=r'"(?:\\[\s\S]|[^"\\])*"' + r"|'(?:\\[^\n']+|[^'\\\n])'",
        )
    ),
    version=("/usr/bin/rustc", "--version"),
    inline=TESTS,
)


def _semver() -> Files:
    kept = installed(REGISTRY / "semver-1.0.14", "librust-semver-dev")
    kept = {path: data for path, data in kept.items() if path.startswith(("src/", "tests/", "build.rs"))}
    return {**kept, "Cargo.toml": MANIFEST, ".gitignore": b"target\nCargo.lock\n"}


SEMVER = Project(
    name="rust-semver",
    version="1.0.14",
    language=RUST,
    fetch=_semver,
    jobs={
        "lint": {"Check": "cargo check --offline", "Format": "cargo fmt --check"},
        "tests": {"Test": "cargo test --offline --test test_version --test test_version_req --test test_identifier"},
    },
    env={"RUSTFLAGS": "-Dwarnings"},
    mend="cargo fmt",
    skip=("src/serde.rs", "src/backport.rs"),
)
PROJECTS = (SEMVER,)
