"""The toolchain of Rust that a workflow sets up is brought by a real rustup; the release host is a stand-in."""

import hashlib
import io
import tarfile
import zipfile

import pytest

from healing.checks.providing import install_command_of
from healing.sandbox.network import SetupNetwork
from tests.checks.test_setup_network import asked, checker, found, network, seen
from tests.pipeline.bench import Bench
from tests.programs import of_programs_lock
from tests.sandbox.test_network import NAME, Index, index

__all__ = ["asked", "index", "network"]

TARGET = "x86_64-unknown-linux-gnu"
PROGRAMS = {
    "rustc": ["rustc"],
    "cargo": ["cargo"],
    "rust-std": [],
    "rustfmt-preview": ["rustfmt", "cargo-fmt"],
    "clippy-preview": ["cargo-clippy"],
}
WORKFLOW = """
on: push
env:
  SSL_CERT_FILE: "${{{{ github.workspace }}}}/ci/certificate.pem"
  PIP_CERT: "${{{{ github.workspace }}}}/ci/certificate.pem"
  PIP_INDEX_URL: "https://{where}/simple"
  RUSTUP_DIST_SERVER: "https://{where}"
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: {uses}
      - run: cargo test
"""


def rustup() -> bytes:
    """The program itself: a wheel is made of it, as the index has one."""
    return of_programs_lock("rustup").resolve().read_bytes()


def wheel(program: bytes) -> bytes:
    packed, about = io.BytesIO(), "rustup-1.29.0.dist-info"
    with zipfile.ZipFile(packed, "w") as made:
        script = zipfile.ZipInfo("rustup-1.29.0.data/scripts/rustup")
        script.external_attr = 0o100755 << 16
        made.writestr(script, program)
        made.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: rustup\nVersion: 1.29.0\n")
        made.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{about}/RECORD", "")
    return packed.getvalue()


def component(name: str, programs: list[str], version: str) -> bytes:
    """An archive as Rust's installer writes it: each program says its name and the toolchain's version."""
    packed, top = io.BytesIO(), f"{name}-{version}-{TARGET}"
    folder = f"{name}-{TARGET}" if name == "rust-std" else name
    files = {"rust-installer-version": "3\n", "components": f"{folder}\n"}
    files[f"{folder}/manifest.in"] = "".join(f"file:bin/{one}\n" for one in programs) or "file:lib/std\n"
    files |= {f"{folder}/bin/{one}": f'#!/bin/sh\necho "{one} {version} $*"\n' for one in programs}
    files |= {} if programs else {f"{folder}/lib/std": ""}
    with tarfile.open(fileobj=packed, mode="w:gz") as made:
        for path, text in files.items():
            info = tarfile.TarInfo(f"{top}/{path}")
            info.size, info.mode = len(text), 0o755
            made.addfile(info, io.BytesIO(text.encode()))
    return packed.getvalue()


def publish(index: Index, channel: str, version: str) -> None:
    """A release, its manifest, and rustup on the package index."""
    where = f"https://{NAME}:{index.port}"
    index.pages["/rustup-1.29.0-py3-none-any.whl"] = (b"application/octet-stream", wheel(rustup()))
    index.pages["/simple/rustup/"] = (b"text/html", b'<a href="/rustup-1.29.0-py3-none-any.whl">rustup</a>')
    lines = ['manifest-version = "2"', 'date = "2024-01-01"']
    for name, programs in PROGRAMS.items():
        data, path = component(name, programs, version), f"/dist/{name}-{version}.tar.gz"
        index.pages[path] = (b"application/octet-stream", data)
        lines += [f"[pkg.{name}]", f'version = "{version}"', f"[pkg.{name}.target.{TARGET}]", "available = true"]
        lines += [f'url = "{where}{path}"', f'hash = "{hashlib.sha256(data).hexdigest()}"']
    parts = [f'{{pkg = "{name}", target = "{TARGET}"}}' for name in ("rustc", "cargo", "rust-std")]
    extra = [f'{{pkg = "{name}", target = "{TARGET}"}}' for name in ("rustfmt-preview", "clippy-preview")]
    lines += ["[pkg.rust]", f'version = "{version}"', f"[pkg.rust.target.{TARGET}]", "available = true"]
    lines += [f'url = "{where}/none"', f'hash = "{"0" * 64}"']
    lines += [f"components = [{', '.join(parts)}]", f"extensions = [{', '.join(extra)}]"]
    lines += ["[renames.rustfmt]", 'to = "rustfmt-preview"', "[renames.clippy]", 'to = "clippy-preview"']
    lines += ["[profiles]", 'minimal = ["rustc", "cargo", "rust-std"]']
    manifest = "\n".join(lines).encode()
    index.pages[f"/dist/channel-rust-{channel}.toml"] = (b"text/plain", manifest)
    digest = f"{hashlib.sha256(manifest).hexdigest()}  channel-rust-{channel}.toml\n".encode()
    index.pages[f"/dist/channel-rust-{channel}.toml.sha256"] = (b"text/plain", digest)


# ENV-2
@pytest.mark.parametrize(
    ("uses", "channel", "version"),
    [
        ("dtolnay/rust-toolchain@1.75", "1.75", "1.75.0"),
        ("dtolnay/rust-toolchain@master\n        with: {toolchain: nightly}", "nightly", "1.99.0-nightly"),
    ],
)
async def test_the_toolchain_that_the_workflow_names_runs_the_check(
    bench: Bench, index: Index, network: SetupNetwork, uses: str, channel: str, version: str
) -> None:
    publish(index, channel, version)
    workflow = WORKFLOW.format(where=f"{NAME}:{index.port}", uses=uses)
    (tree,) = bench.trees({".github/workflows/ci.yml": workflow, "ci/certificate.pem": index.certificate})
    check = found(bench, tree)
    step = check.step.model_copy(update={"run": "cargo test; rustfmt x; cargo-clippy y"})
    result = await seen(checker(bench, tree, network), check.model_copy(update={"step": step}), tree)
    assert result.green, result.problem or result.output
    assert result.output.splitlines() == [f"cargo {version} test", f"rustfmt {version} x", f"cargo-clippy {version} y"]


# ENV-2
@pytest.mark.parametrize("version", ["", "v1", "1.75; rm -rf /", "$(id)", "stable-x86_64-pc-windows-msvc", "master"])
def test_a_toolchain_that_has_no_release_brings_nothing(version: str) -> None:
    assert install_command_of("dtolnay/rust-toolchain", {}, version) == ""
