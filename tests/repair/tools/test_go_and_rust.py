"""Go's and Rust's own tools, run for real on small repos."""

from pathlib import Path

import pytest

from healing.model import Category, CIError
from healing.repair.tools.gofmt import Gofmt, Goimports
from healing.repair.tools.runner import Runner
from healing.repair.tools.rust import Clippy, Rustfmt, edition_of
from healing.repair.tools.settings import ToolConfig
from healing.view import DictView
from tests.programs import needs
from tests.repair.tools.running import run

UGLY = "package a\n\nfunc f(s []int) []int {\nreturn s[1:len(s)]\n}\n"
MANIFEST = '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n'


def config_of(files: dict[str, str], *commands: str) -> ToolConfig:
    return ToolConfig(DictView({name: text.encode() for name, text in files.items()}), commands)


# AF-1
@pytest.mark.parametrize(("command", "end"), [("gofmt -l .", "s[1:len(s)]"), ("gofmt -s -l .", "s[1:]")])
def test_gofmt_simplifies_only_where_the_repo_does(root: Path, command: str, end: str) -> None:
    needs("gofmt", "golang-go")
    calls = Gofmt().calls(("a.go", "README.md"), (), config_of({}, command))
    after = run(root, {"a.go": UGLY, "b.go": UGLY}, calls)
    assert after == {"a.go": f"package a\n\nfunc f(s []int) []int {{\n\treturn {end}\n}}\n", "b.go": UGLY}


# AF-1
def test_goimports_adds_what_is_missing_and_groups_the_repos_own(root: Path) -> None:
    needs("goimports", "golang-golang-x-tools")
    source = 'package a\n\nimport (\n\t"example.com/m/b"\n\t"os"\n)\n\nvar X = strings.ToUpper(b.B)\n'
    files = {"go.mod": "module example.com/m\n\ngo 1.19\n", "a.go": source, "b/b.go": 'package b\n\nvar B = "b"\n'}
    calls = Goimports().calls(("a.go",), (), config_of(files, "goimports -local example.com/m -l ."))
    after = run(root, files, calls)["a.go"]
    assert 'import (\n\t"strings"\n\n\t"example.com/m/b"\n)' in after


# AF-1
@pytest.mark.parametrize(("edition", "written"), [("2015", "2015"), ("2021", "2021")])
def test_rustfmt_is_told_the_edition_of_the_manifest(root: Path, edition: str, written: str) -> None:
    needs("rustfmt", "rustfmt")
    files = {"Cargo.toml": MANIFEST.replace("2021", edition), "src/lib.rs": "pub  fn f( ) { }\n"}
    (call,) = Rustfmt().calls(("src/lib.rs",), (), config_of(files))
    assert call.argv[:3] == ("rustfmt", "--edition", written)
    assert run(root, files, (call,))["src/lib.rs"] == "pub fn f() {}\n"


def test_a_broken_or_silent_manifest_is_no_stumbling_block() -> None:
    assert edition_of("a.rs", config_of({"Cargo.toml": '[package]\nname = "m"\n'})) == "2015"
    assert edition_of("a.rs", config_of({"Cargo.toml": "[[[", "a.rs": ""})) == "2021"
    assert edition_of("x/a.rs", config_of({"x/Cargo.toml": '[package]\nedition = "; rm"\n'})) == "2021"


# AF-1
def test_clippy_takes_what_is_machine_applicable(root: Path) -> None:
    needs("cargo-clippy", "rust-clippy")
    files = {"Cargo.toml": MANIFEST, "Cargo.lock": 'version = 3\n\n[[package]]\nname = "m"\nversion = "0.1.0"\n'}
    files["src/lib.rs"] = "pub fn f(x: &[i32]) -> bool {\n    return x.len() == 0;\n}\n"
    files["benches/b.rs"] = "#![feature(test)]\n"  # doesn't build here, as in many crates
    after = run(root, files, Clippy().calls(("src/lib.rs",), (), config_of(files)))
    assert after["src/lib.rs"] == "pub fn f(x: &[i32]) -> bool {\n    x.is_empty()\n}\n"


USED: list[tuple[Runner, dict[str, str], tuple[str, ...], bool]] = [
    (Gofmt(), {}, ("test -z $(gofmt -l .)",), True),
    (Gofmt(), {}, ("go fmt ./...",), True),
    (Gofmt(), {".golangci.yml": "linters:\n  enable: [gofmt]\n"}, ("golangci-lint run",), True),
    (Gofmt(), {}, ("go vet ./...",), False),
    (Goimports(), {".pre-commit-config.yaml": "  - id: go-imports\n"}, (), True),
    (Goimports(), {}, ("gofmt -l .",), False),
    (Rustfmt(), {}, ("cargo fmt --check",), True),
    (Rustfmt(), {"rustfmt.toml": ""}, (), True),
    (Rustfmt(), {}, ("cargo test",), False),
    (Clippy(), {}, ("cargo +nightly clippy -- -D warnings",), True),
    (Clippy(), {}, ("cargo build",), False),
]


# AF-1
@pytest.mark.parametrize(("runner", "files", "commands", "used"), USED)
def test_a_tool_is_used_where_the_repo_or_its_ci_says_so(
    runner: Runner, files: dict[str, str], commands: tuple[str, ...], used: bool
) -> None:
    assert runner.used(config_of(files, *commands)) is used


def test_a_compilers_error_is_nothing_for_clippys_fixes() -> None:
    lint, wrong = (
        CIError(id=c, tool="rustc", category=c, file="a.rs", message="m") for c in (Category.LINT, Category.COMPILE)
    )
    assert Clippy().wants((lint, wrong)) == (lint,)


def test_a_hook_of_pre_commit_is_wanted_by_the_tool_that_it_runs() -> None:
    reported = CIError(id="1", tool="pre-commit", code="go-fmt", category=Category.FORMAT, message="m")
    assert Gofmt().wants((reported,)) == (reported,)
    assert Rustfmt().wants((reported,)) == ()
