"""`heal run` fixes the layout of Go and Rust where the change broke it, though no check of the repository asks."""

import json

import pytest

from tests.cli.conftest import git, write
from tests.environment.conftest import Shell
from tests.programs import needs

WORKFLOW = """
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: {}
"""
TIDY = "package shop\n\nfunc Total(a, b int) int {\n\treturn a + b\n}\n"
UNTIDY = TIDY.replace("\treturn a + b", "  return a+b")
GO = {
    ".github/workflows/ci.yml": WORKFLOW.format("go vet ./..."),
    "go.mod": "module example.com/shop\n\ngo 1.18\n",
    "shop.go": TIDY,
}
RUST = {
    ".github/workflows/ci.yml": WORKFLOW.format("cargo check --offline"),
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": '# made by hand\nversion = 3\n\n[[package]]\nname = "shop"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub fn total(a: i32, b: i32) -> i32 {\n    a + b\n}\n",
    ".gitignore": ".venv/\ntarget/\n",
}


# ENV-9
@pytest.mark.parametrize("tool", ["gofmt", "rustfmt"])
def test_layout_that_was_right_before_this_change_is_put_right(shell: Shell, tool: str) -> None:
    needs("gofmt", "golang-go") if tool == "gofmt" else needs("rustfmt", "rustfmt")
    files, path = (GO, "shop.go") if tool == "gofmt" else (RUST, "src/lib.rs")
    clone = shell.clone(tool, files)
    write(clone, {path: files[path].replace("a + b", "a+b").replace("\treturn", "  return")})
    result = shell.heal(clone, "run", "--json")
    assert result.code == 0, result
    (proposal,) = json.loads(result.out)["proposals"]
    assert proposal["source"] == f"autofix:{tool}"
    assert "no check asks for it, but it passed before this change" in result.err
    assert shell.heal(clone, "apply", "all").code == 0
    assert (clone / path).read_text() == files[path]


# ENV-9
def test_layout_that_was_never_right_is_nobodys_habit(shell: Shell) -> None:
    needs("gofmt", "golang-go")
    clone = shell.clone("never", {**GO, "shop.go": UNTIDY})
    write(clone, {"shop.go": UNTIDY.replace("Total", "Sum")})
    result = shell.heal(clone, "run", "--json")
    assert json.loads(result.out)["proposals"] == [], result
    assert "gofmt" not in result.out + result.err


# ENV-9
def test_where_a_check_looks_at_the_layout_it_alone_judges_it(shell: Shell) -> None:
    needs("gofmt", "golang-go")
    lenient = {**GO, ".github/workflows/ci.yml": WORKFLOW.format("gofmt -l nothing.d || go vet ./...")}
    clone = shell.clone("judged", lenient)
    git(clone, "switch", "-q", "-c", "work")
    write(clone, {"shop.go": UNTIDY})
    result = shell.heal(clone, "run", "--json")
    assert "it passed before this change" not in result.err, result
