"""A step of several commands is as many checks, where each of them can be run alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.checks.check import Check, Script
from healing.checks.separating import separate

NPX = "npx --no-install "


def commands(run: str, shell: str = "bash", **scripts: str) -> list[str]:
    """What each of the checks runs; `scripts` are those of package.json."""
    manifest = json.dumps({"scripts": {name.replace("__", ":"): text for name, text in scripts.items()}}).encode()
    check = Check(workflow="w", job="j", step=Script(name="s", run=run, shell=shell))
    return [one.step.run for one in separate(check, {"package.json": manifest}.get)]


# ENV-3
@pytest.mark.parametrize(
    ("run", "parts"),
    [
        ("ruff check .\nmypy src\npytest -q", ["ruff check .", "mypy src", "pytest -q"]),
        ("ruff check . && pytest -k 'a && b'", ["ruff check .", "pytest -k 'a && b'"]),
        ("ruff check . &&\n  pytest", ["ruff check .", "pytest"]),
        ("ruff check . \\\n  --quiet\n# types\nmypy src", ["ruff check .    --quiet", "mypy src"]),
        ("echo begin\nruff check .\npython --version\npytest", ["ruff check .", "pytest"]),
        ("cd src\nruff check .\npytest", ["cd src\nruff check .", "cd src\npytest"]),
        ("export CI=1\nruff check .\nX=2 pytest", ["export CI=1\nruff check .", "export CI=1\nX=2 pytest"]),
        ("cargo fmt --check\ncargo build\ncargo test", ["cargo fmt --check", "cargo build", "cargo test"]),
        ("go vet ./...\ngo test ./...", ["go vet ./...", "go test ./..."]),
        ("tsc --noEmit && jest", ["tsc --noEmit", "jest"]),
        ('test -z "$(gofmt -l .)" && go vet ./...', ['test -z "$(gofmt -l .)"', "go vet ./..."]),
        ("yapf --diff -r src && pytest", ["yapf --diff -r src", "pytest"]),
        ("eslint . && npm run build", ["eslint .", "npm run build"]),
    ],
)
def test_each_command_of_a_plain_list_is_a_check(run: str, parts: list[str]) -> None:
    assert commands(run) == parts


# ENV-3
@pytest.mark.parametrize(
    "run",
    [
        "pytest",
        "ruff check . || true\npytest",
        "ruff check .; pytest",
        "if true\nthen\nruff check .\nfi\npytest",
        "ruff check . | tee log\npytest",
        "ruff check . > log\npytest",
        "(cd a && ruff check .)\npytest",
        "A=$(date)\nruff check .\npytest",
        "cat <<EOF\nruff check .\nEOF\npytest",
        "coverage run -m pytest\ncoverage report --fail-under 90",
        "npm run build && npm test",
        "go generate ./... && pytest && go generate ./...",
        "npm run prepare-it && npm test",
        "tsc -p . && jest",
        "make\nmake test",
        "black .\ngit diff --exit-code",
        "mkdir out\nruff check .\npytest",
        "pip install -e . && ruff check . && pytest",
        "\n".join("pytest" for _ in range(40)),
    ],
)
def test_a_step_whose_commands_may_need_one_another_stays_whole(run: str) -> None:
    assert commands(run) == [run]


# ENV-3
def test_another_shell_than_a_posix_one_is_left_alone() -> None:
    assert commands("ruff check .\npytest", shell="pwsh") == ["ruff check .\npytest"]
    assert commands("ruff check .\npytest", shell="python") == ["ruff check .\npytest"]


# ENV-3
@pytest.mark.parametrize(
    ("run", "scripts", "parts"),
    [
        ("npm test", {"test": "xo && ava && tsd"}, [NPX + "xo", NPX + "ava", NPX + "tsd"]),
        ("npm test -- --ci", {"test": "xo && X=1 ava"}, [NPX + "xo", f"X=1 {NPX}ava --ci"]),
        (
            "npm test",
            {"test": "npm run lint && npm run unit", "lint": "eslint . && prettier --check .", "unit": "node --test"},
            [NPX + "eslint .", NPX + "prettier --check .", "node --test"],
        ),
        (
            "npm test",
            {"test": "npm run lint && npm run unit", "lint": "eslint . && prettier --check .", "unit": "mocha 'a b'"},
            [NPX + "eslint .", NPX + "prettier --check .", NPX + "mocha 'a b'"],
        ),
        ("pnpm run all", {"all": "run-s lint unit:js", "lint": "eslint .", "unit__js": "jest"},
         ["pnpm exec eslint .", "pnpm exec jest"]),
        ("npm run lint\nnpm test", {"lint": "eslint .", "test": "jest"}, [NPX + "eslint .", NPX + "jest"]),
        ("npm test", {"test": "xo && ava", "pretest": "node make.js"}, ["npm test"]),
        ("npm test", {"test": "xo && ava; exit 0"}, ["npm test"]),
        ("npm test", {"test": "xo && ava --v $npm_package_version"}, ["npm test"]),
        ("npm run lint && npm test", {"lint": "eslint . || true", "test": "jest"}, ["npm run lint && npm test"]),
        ("npm test", {"test": "npm test && npm test"}, ["npm test"]),
        ("npm test", {"test": "rollup -c && mocha"}, ["npm test"]),
        ("npm test", {}, ["npm test"]),
    ],
)  # fmt: skip
def test_scripts_of_package_json_are_what_they_run(run: str, scripts: dict[str, str], parts: list[str]) -> None:
    assert commands(run, **scripts) == parts


# ENV-3
def test_a_check_says_which_command_it_is() -> None:
    check = Check(workflow="w", job="tests", step=Script(name="Run npm test", run="npm test"))
    manifest = b'{"scripts": {"test": "xo && ava"}}'
    assert [one.title for one in separate(check, {"package.json": manifest}.get)] == [
        "tests / Run npm test (xo)",
        "tests / Run npm test (ava)",
    ]


# ENV-3
@given(
    st.lists(
        st.sampled_from(
            ["ruff check .", "pytest -q", "cd a", "echo x", "mypy 'a b'", "if x", "a | b", '"', "npm test", "\\", "<<E"]
        ),
        max_size=8,
    ),
    st.sampled_from(["\n", " && ", " &&\n", "; ", " || "]),
    st.text(max_size=20),
)
def test_no_command_is_lost_and_none_is_made_up(lines: list[str], between: str, script: str) -> None:
    run = between.join(lines)
    found = commands(run, test=script)
    assert found
    checks = [line for line in lines if line in ("ruff check .", "pytest -q", "mypy 'a b'")]
    if found != [run] and not {"npm test", '"'} & {*lines}:  # between two quotes a command is a word
        assert [one.splitlines()[-1] for one in found] == checks
