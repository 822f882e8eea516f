"""Rust's own tools: rustfmt, and clippy with --fix."""

import re
import tomllib
from dataclasses import dataclass

from healing.model import Category, CIError
from healing.repair.tools.call import Call
from healing.repair.tools.runner import reported_by
from healing.repair.tools.settings import ToolConfig, with_ending

MANIFEST = "Cargo.toml"
FORMAT_HOOKS = ("fmt", "rustfmt", "cargo-fmt")
CLIPPY_HOOKS = ("clippy", "cargo-clippy")
EDITION = re.compile(r"20\d\d\Z")
# It exits with 101 where one target doesn't build, as benchmarks that want the nightly toolchain; the others are fixed.
FIXED = (0, 101)
# Outside the worktree: a build folder need not be scanned, and may not be ignored there.
BUILT_OUTSIDE = (("CARGO_TARGET_DIR", "/tmp/heal-target"),)  # noqa: S108 -- the sandbox's own


@dataclass(frozen=True)
class Rustfmt:
    """It also formats the modules that a file declares; those edits are not taken. The edition is the manifest's."""

    name: str = "rustfmt"

    def used(self, tool_config: ToolConfig) -> bool:
        called = tool_config.called("rustfmt") or any(rest.startswith("fmt") for rest in tool_config.called("cargo"))
        return bool(called or tool_config.hooks & set(FORMAT_HOOKS)) or tool_config.has("rustfmt.toml", ".rustfmt.toml")

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        return reported_by(errors, ("rustfmt",), FORMAT_HOOKS)

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        by_edition: dict[str, list[str]] = {}
        for file in with_ending(files, (".rs",)):
            by_edition.setdefault(edition_of(file, tool_config), []).append(f"./{file}")
        return tuple(Call(("rustfmt", "--edition", edition, *names)) for edition, names in sorted(by_edition.items()))


@dataclass(frozen=True)
class Clippy:
    """`--fix` applies what the compiler and clippy mark as machine-applicable."""

    name: str = "clippy"

    def used(self, tool_config: ToolConfig) -> bool:
        called = any("clippy" in rest.split()[:2] for rest in tool_config.called("cargo"))
        return called or bool(tool_config.hooks & set(CLIPPY_HOOKS)) or tool_config.has("clippy.toml", ".clippy.toml")

    def wants(self, errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
        lints = tuple(e for e in errors if e.category is Category.LINT)
        return reported_by(lints, ("clippy", "rustc"), CLIPPY_HOOKS)

    def calls(
        self, files: tuple[str, ...], _errors: tuple[CIError, ...], tool_config: ToolConfig, /
    ) -> tuple[Call, ...]:
        folders = sorted({tool_config.nearest(file, MANIFEST) for file in with_ending(files, (".rs",))})
        options = ("--fix", "--allow-dirty", "--allow-staged", "--allow-no-vcs", "--all-targets", "--quiet")
        return tuple(
            Call(("cargo", "clippy", *options), folder, codes=FIXED, env=BUILT_OUTSIDE)
            for folder in folders
            if tool_config.view.mode(MANIFEST if folder == "." else f"{folder}/{MANIFEST}")
        )


def edition_of(file: str, tool_config: ToolConfig) -> str:
    """The edition of a file's crate; 2015 where its manifest names none, as the language defines."""
    folder = tool_config.nearest(file, MANIFEST)
    try:
        text = (tool_config.view.read(MANIFEST if folder == "." else f"{folder}/{MANIFEST}") or b"").decode()
        package = tomllib.loads(text).get("package")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return "2021"
    named = package.get("edition", "2015") if isinstance(package, dict) else "2021"
    return named if isinstance(named, str) and EDITION.match(named) else "2021"
