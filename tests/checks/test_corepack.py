"""`corepack enable` brings the package manager that package.json pins, though nobody may write beside corepack here."""

import base64
import hashlib
import io
import json
import tarfile

from healing.sandbox.network import RequestedConnection, SetupNetwork
from tests.checks.test_setup_network import asked, checker, found, network, seen
from tests.pipeline.bench import Bench
from tests.programs import needs
from tests.sandbox.test_network import NAME, Index, index

__all__ = ["asked", "index", "network"]

VERSION = "9.1.0"
# The releases of the real index are signed, which a stand-in can't do: corepack's own switch leaves that out.
WORKFLOW = """
on: push
env:
  NODE_EXTRA_CA_CERTS: "${{{{ github.workspace }}}}/ci/certificate.pem"
  COREPACK_NPM_REGISTRY: "https://{where}"
  COREPACK_INTEGRITY_KEYS: "0"
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: corepack enable
      - run: pnpm install
      - run: pnpm test
"""
MANAGER = f"#!/usr/bin/env node\nconsole.log('pnpm {VERSION} ' + process.argv.slice(2).join(' '))\n"


def publish(index: Index) -> None:
    """The package manager as its index has it."""
    about = {"name": "pnpm", "version": VERSION, "bin": {"pnpm": "bin/pnpm.cjs"}}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as made:
        for name, text in (("package.json", json.dumps(about)), ("bin/pnpm.cjs", MANAGER)):
            info = tarfile.TarInfo(f"package/{name}")
            info.size, info.mode = len(text), 0o755
            made.addfile(info, io.BytesIO(text.encode()))
    data, path = packed.getvalue(), f"/pnpm/-/pnpm-{VERSION}.tgz"
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
    release = {**about, "dist": {"tarball": f"https://{NAME}:{index.port}{path}", "integrity": integrity}}
    index.pages[path] = (b"application/octet-stream", data)
    index.pages[f"/pnpm/{VERSION}"] = (b"application/json", json.dumps(release).encode())


# ENV-2
async def test_the_manager_that_is_pinned_runs_set_up_and_check(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    needs("corepack", "nodejs")
    publish(index)
    files = {
        ".github/workflows/ci.yml": WORKFLOW.format(where=f"{NAME}:{index.port}"),
        "ci/certificate.pem": index.certificate,
        "package.json": json.dumps({"name": "x", "packageManager": f"pnpm@{VERSION}", "scripts": {"test": "true"}}),
    }
    (tree,) = bench.trees(files)
    check = found(bench, tree)
    result = await seen(checker(bench, tree, network), check, tree)
    assert result.green, result.problem or result.output
    assert result.output.strip().endswith(f"pnpm {VERSION} test")
    assert {(one.host, one.refused) for one in asked} == {(NAME, "")}
