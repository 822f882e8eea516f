"""A version that the repo pins and that is not installed: rustup obeys rust-toolchain by itself, a plain Rust
doesn't."""

import re
import tomllib

from healing.model import CIError, NotChecked
from healing.repair.tools.call import Call
from healing.repair.tools.calling import call_tool
from healing.verify.verifier import Verifier
from healing.view import TreeView

PINS = ("rust-toolchain.toml", "rust-toolchain")
RELEASE = re.compile(r"1\.\d{1,4}(?:\.\d{1,4})?\Z")


async def other_rust(verifier: Verifier, errors: tuple[CIError, ...], on: str) -> NotChecked | None:
    """The notice where Rust's errors are checked with another Rust version than the one that tree `on` pins; None where
    there is nothing to report."""
    rust_errors = tuple(e for e in errors if (e.file or "").endswith(".rs"))
    pin, channel = pinned(verifier.git.view(on))
    if not rust_errors or not channel:
        return None
    called = await call_tool(verifier, "rustc", (Call(("rustc", "--version")),), (), rust_errors, on)
    version = " ".join(called.answer.split()) or "none"
    if not called.why and is_of(version, channel):
        return None
    why = f"{pin} requires it, but checks run here with {version}: results may differ from CI"
    advice = "Install rustup with this toolchain where Heal runs checks, or let CI judge (`verify: ci`)."
    return NotChecked(what=f"Rust {channel}", why=why, advice=advice)


def pinned(view: TreeView) -> tuple[str, str]:
    """(the file, its channel); empty where nothing is pinned."""
    for path in PINS:
        text = (view.read(path) or b"").decode("utf-8", "replace")[:10_000].strip()
        try:
            table = tomllib.loads(text).get("toolchain")
        except (tomllib.TOMLDecodeError, RecursionError):
            table = {"channel": text} if text and not text.startswith("[") else None  # the format from before TOML
        channel = table.get("channel") if isinstance(table, dict) else None
        if isinstance(channel, str) and channel:
            return path, " ".join(channel.split())[:60]
    return "", ""


def is_of(version: str, channel: str) -> bool:
    """Whether the output of `rustc --version` is of a channel: a release, `stable`, or another by its name."""
    if RELEASE.match(channel):
        return f"{version} ".startswith((f"rustc {channel} ", f"rustc {channel}."))
    return "-" not in version.partition("(")[0] if channel == "stable" else channel.partition("-")[0] in version
