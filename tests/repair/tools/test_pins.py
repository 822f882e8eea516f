"""A Rust that the repo pins is obeyed by rustup; where a plain Rust runs the checks, that is said."""

from pathlib import Path

import pytest

from healing.repair.tools.pins import is_of, pinned
from healing.view import DictView
from tests.pipeline.bench import Bench
from tests.programs import needs


# AF-1
@pytest.mark.parametrize(
    ("files", "channel"),
    [
        ({"rust-toolchain.toml": b'[toolchain]\nchannel = "1.70"\n'}, "1.70"),
        ({"rust-toolchain": b"nightly-2024-01-01\n"}, "nightly-2024-01-01"),
        ({"rust-toolchain": b'[toolchain]\nchannel = "stable"\n'}, "stable"),
        ({"rust-toolchain.toml": b"[toolchain\n"}, ""),
        ({"rust-toolchain.toml": b"toolchain = 7\n"}, ""),
        ({"rust-toolchain": b"\xff" * 3}, "\ufffd" * 3),
        ({"rust-toolchain": b"[" * 100_000}, ""),
        ({}, ""),
    ],
)
def test_what_is_pinned_is_read_in_both_forms(files: dict[str, bytes], channel: str) -> None:
    assert pinned(DictView(files))[1] == channel


# AF-1
@pytest.mark.parametrize(
    ("output", "channel", "same"),
    [
        ("rustc 1.70.0 (90c541806 2023-05-31)", "1.70", True),
        ("rustc 1.70.0 (90c541806 2023-05-31)", "1.70.0", True),
        ("rustc 1.70.0 (90c541806 2023-05-31)", "1.7", False),
        ("rustc 1.63.0", "1.70", False),
        ("rustc 1.97.0-nightly (a 2026-03-01)", "nightly-2026-03-01", True),
        ("rustc 1.97.0-nightly (a 2026-03-01)", "stable", False),
        ("rustc 1.70.0 (90c541806 2023-05-31)", "stable", True),
        ("none", "1.70", False),
    ],
)
def test_a_version_is_of_a_channel_or_not(output: str, channel: str, same: bool) -> None:
    assert is_of(output, channel) is same


# AF-1
async def test_another_rust_than_the_pinned_one_is_named(bench: Bench, tmp_path: Path) -> None:
    needs("cargo", "cargo")
    needs("rustfmt", "rustfmt")
    base = {
        "Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n',
        "rust-toolchain.toml": '[toolchain]\nchannel = "1.0.0"\n',
        ".gitignore": "target\n",
    }
    outcome = await bench.heal(base, {"src/lib.rs": "pub fn a()   {}\n"}, "cargo fmt --check")
    (reported,) = [one for one in outcome.not_looked if one.what == "Rust 1.0.0"]
    assert reported.why.startswith("rust-toolchain.toml requires it, but checks run here with rustc ")
