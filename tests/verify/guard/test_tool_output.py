"""What honest formatters and linters write passes the guard: their real output, on real files."""

import subprocess
from pathlib import Path

import pytest

import healing
from healing.model import Category, CIError
from healing.verify.guard import refusals
from tests.programs import TOOLS, needs

SOURCES = Path(healing.__file__).parent
# Real files, laid out otherwise than these tools would: a line length that nobody here keeps to.
PYTHON = (*sorted((SOURCES / "verify" / "guard").glob("*.py")), SOURCES / "edits" / "exact.py", SOURCES / "model.py")
OF_TESTS = tuple(sorted(Path(__file__).parent.glob("test_*.py")))
RUFF = (str(TOOLS / "ruff"), "check", "--isolated", "--no-cache", "--fix", "--exit-zero", "--quiet")
PYTHON_TOOLS: dict[str, tuple[str, ...]] = {
    "ruff-format": (str(TOOLS / "ruff"), "format", "--isolated", "--no-cache", "--quiet", "--line-length=60"),
    "black": (str(TOOLS / "black"), "--quiet", "--workers=1", "--line-length=70"),
    "isort": (*RUFF, "--select=I", "--config=lint.isort.force-single-line=true"),
    "ruff": (
        *RUFF,
        "--select=E,F,W,I,UP,B,SIM,C4,RUF,PT,PIE,RET,Q,COM",
        "--config=lint.flake8-quotes.inline-quotes='single'",
    ),
}


def about(path: str | None, tool: str) -> tuple[CIError, ...]:
    """The error that CI would have shown: the tool's own, about this file or about none."""
    return (CIError(id="E1", tool=tool, category=Category.FORMAT, message="would reformat", file=path),)


def judged(
    tmp_path: Path, files: dict[str, bytes], argv: tuple[str, ...], tool: str, named: bool
) -> tuple[int, list[str]]:
    """How many files the tool changed, and why the guard is against any of it."""
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    subprocess.run([*argv, *files], cwd=tmp_path, check=False, timeout=120, capture_output=True)
    after = {path: (tmp_path / path).read_bytes() for path in files}
    changed = {path: (data, after[path]) for path, data in files.items() if after[path] != data}
    against = [
        reason
        for path, change in changed.items()
        for reason in refusals({path: change}, about(path if named else None, tool), files.get, by_tool=True)
    ]
    return len(changed), against


# JD-4
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("tool", PYTHON_TOOLS)
def test_what_pythons_tools_write_is_not_refused(tmp_path: Path, tool: str, named: bool) -> None:
    files = {f"src/{path.name}": path.read_bytes() for path in PYTHON}
    files |= {f"tests/{path.name}": path.read_bytes() for path in OF_TESTS}
    changed, against = judged(tmp_path, files, PYTHON_TOOLS[tool], tool, named)
    assert changed >= 8
    assert against == []


# JD-4
@pytest.mark.parametrize("tool", ["prettier", "eslint"])
def test_what_npms_tools_write_is_not_refused(tmp_path: Path, packages: Path, tool: str) -> None:
    (tmp_path / "node_modules").symlink_to(packages)
    rules = '{"prefer-const": 2, "no-var": 2, "no-extra-boolean-cast": 2, "object-shorthand": 2, "prefer-template": 2}'
    (tmp_path / "eslint.config.mjs").write_text(f"export default [{{ rules: {rules} }}];\n")
    libs = sorted((packages / "eslint/lib/rules").glob("*.js"))[:25]
    files = {f"src/{path.name}": path.read_bytes().replace(b"const ", b"var ") for path in libs}
    files |= {
        "package.json": b'{"name":"x",\n\n"private":true}',
        "tsconfig.json": b'{"compilerOptions":{"strict":true}}',
    }
    argv = {"prettier": ("prettier", "--write"), "eslint": ("eslint", "--fix")}[tool]
    chosen = files if tool == "prettier" else {path: data for path, data in files.items() if path.endswith(".js")}
    changed, against = judged(tmp_path, chosen, (str(packages / ".bin" / argv[0]), argv[1]), tool, named=True)
    assert changed >= 20
    assert against == []


# JD-4
def test_what_gofmt_writes_is_not_refused(tmp_path: Path) -> None:
    needs("gofmt", "golang-go")
    code = b'package a\nimport "errors"\nfunc A( x int )error{\nif x>1{return   nil}\nreturn errors.New("x")}\n'
    test = b'package a\nimport "testing"\nfunc TestA( t *testing.T ){\nif A(1)==nil{t.Fatal( "none" )}}\n'
    changed, against = judged(tmp_path, {"a.go": code, "a_test.go": test}, ("gofmt", "-w"), "gofmt", named=True)
    assert (changed, against) == (2, [])


# CK-5
def test_only_a_tool_may_lay_out_a_large_file_again_and_only_with_the_words_that_were_there() -> None:
    old = b"".join(b"x%d  =  0x%X\n" % (n, n) for n in range(2000))
    laid_out = b"".join(b"x%d = 0x%x\n" % (n, n) for n in range(2000))
    assert refusals({"a.py": (old, laid_out)}, about("a.py", "black"), by_tool=True) == ()
    assert "at most 800" in str(refusals({"a.py": (old, laid_out)}, about("a.py", "black")))
    assert "at most 800" in str(
        refusals({"a.py": (old, old.replace(b"x", b"y"))}, about("a.py", "black"), by_tool=True)
    )
