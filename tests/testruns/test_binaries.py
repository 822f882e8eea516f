"""What cargo and `go test` start through Heal: only test binaries wait for the program that counts their tests."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from healing.testruns.hooks import install_hooks
from tests.cli.conftest import write


# JD-3
@pytest.mark.parametrize(
    ("program", "words", "counted"),
    [
        ("target/debug/deps/shop-0123456789abcdef", ("--quiet",), True),
        ("b001/shop.test", ("-test.paniconexit0", "-test.timeout=10m0s"), True),
        ("rustdoctest4x/rust_out", (), False),
        ("target/debug/examples/greet", ("deps", "a test.timeout=1"), False),
    ],
)
async def test_only_a_test_binary_is_counted_and_an_example_runs_as_it_is(
    tmp_path: Path, program: str, words: tuple[str, ...], counted: bool
) -> None:
    write(tmp_path, {program: '#!/bin/sh\necho "$# words, itself"\nexit 7\n', "python": "#!/bin/sh\necho counted\n"})
    for one in (program, "python"):
        (tmp_path / one).chmod(0o755)
    python = str(tmp_path / "python")
    async with install_hooks(("Cargo.toml",), "cargo test", python, frozenset(), by_socket=False) as hooks:
        argv = (str(hooks.folder / "binary"), str(tmp_path / program), *words)
        done = await asyncio.to_thread(subprocess.run, argv, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == (("counted\n", 0) if counted else (f"{len(words)} words, itself\n", 7))
