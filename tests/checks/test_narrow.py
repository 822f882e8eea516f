"""The smallest command that still shows given errors, where the step is simple enough to be sure."""

import json

import pytest

from healing.checks.check import CheckResult, command_check
from healing.checks.narrow import narrow, ran_nothing
from healing.checks.services.service import Server
from healing.model import Category, CIError


def error(tool: str, **fields: object) -> CIError:
    return CIError.model_validate({"id": "E1", "tool": tool, "category": Category.LINT, "message": "m", **fields})


PYTEST = error("pytest", test="tests/test_a.py::test_x", file="a.py")
RUFF = error("ruff", code="F401", file="src/a b.py")


# CK-3
@pytest.mark.parametrize(
    ("run", "found", "narrowed"),
    [
        ("pytest", PYTEST, "pytest tests/test_a.py::test_x"),
        ("pytest -q tests -n 4", PYTEST, "pytest -q -n 4 tests/test_a.py::test_x"),
        ("CI=1 python -m pytest -m 'not slow' t", PYTEST,
         "CI=1 python -m pytest -m 'not slow' tests/test_a.py::test_x"),
        ("uv run pytest", PYTEST, "uv run pytest tests/test_a.py::test_x"),
        ("ruff check .", RUFF, "ruff check --select F401 'src/a b.py'"),
        ("ruff check --select E,F --output-format=github .", RUFF,
         "ruff check --output-format=github --select F401 'src/a b.py'"),
        ("black --check -l 100 .", error("black", file="a.py"), "black --check -l 100 a.py"),
        ("ruff format --check .", error("ruff", file="a.py"), "ruff format --check a.py"),
        ("pytest --cov=src --cov-fail-under 90 -q", PYTEST, "pytest -q tests/test_a.py::test_x"),
        ("mypy --strict src tests", error("mypy", file="src/a.py"), "mypy --strict src/a.py"),
        ("python -m flake8 --max-line-length 100 src", error("flake8", file="src/a.py"),
         "python -m flake8 --max-line-length 100 src/a.py"),
        ("npx jest --ci --coverage", error("jest", test="math › adds 1+1", file="src/sum.test.js"),
         "npx jest --ci --coverage=false --testTimeout=30000 -t '^math adds 1\\+1$' --runTestsByPath src/sum.test.js"),
        ("jest", error("jest", test="adds", file="src/sum.js"),
         "jest --coverage=false --testTimeout=30000 -t '^adds$'"),
        ("pnpm exec vitest run --coverage src", error("vitest", test="math > adds", file="src/a.test.ts"),
         "pnpm exec vitest run -t '^math adds$' src/a.test.ts"),
        ("npx mocha -r ts-node/register test/unit", error("mocha", test="math › adds (1+1)", file="src/a.js"),
         r"npx mocha -r ts-node/register test/unit --grep '^math adds \(1\+1\)$'"),
        ("npx eslint . --ext .ts --max-warnings 0", error("eslint", file="src/a.ts"),
         "npx eslint --ext .ts --max-warnings 0 src/a.ts"),
        ("prettier --check .", error("prettier", file="a.md"), "prettier --check a.md"),
        ("biome ci .", error("biome", file="a.ts"), "biome ci a.ts"),
        ("go test -race -timeout 30s ./...", error("go-test", test="example.com/m/p.TestSum/one"),
         "go test -race -timeout 30s -run '^(TestSum)$' example.com/m/p"),
        ("go vet ./...", error("go-vet", file="p/a.go"), "go vet ./p"),
        ("cargo test --all-features -- --nocapture", error("cargo-test", test="tests::adds"),
         "cargo test --all-features -- --nocapture --exact tests::adds"),
        ("gofmt -l .", error("gofmt", file="p/a.go"), "gofmt -l p/a.go"),
        ("node --check a.js b.js", error("node", file="b.js"), "node --check b.js"),
        ("python -m compileall -q .", error("python", file="b.py"), "python -m compileall -q b.py"),
        ("bash -n a.sh b.sh", error("bash", file="b.sh"), "bash -n b.sh"),
        ("# comment\nruff check .", RUFF, "ruff check --select F401 'src/a b.py'"),
    ],
)  # fmt: skip
def test_simple_commands_are_narrowed(run: str, found: CIError, narrowed: str) -> None:
    check = narrow(command_check(run), [found])
    assert check is not None
    assert check.step.run == narrowed


JEST = error("jest", test="adds", file="src/sum.js")
NARROWED = "--coverage=false --testTimeout=30000 -t '^adds$'"


# CK-3
@pytest.mark.parametrize(
    ("run", "scripts", "narrowed"),
    [
        ("npm test", {"test": "jest"}, f"npx --no-install jest {NARROWED}"),
        ("npm run unit -- --ci", {"unit": "jest -c x.js"}, f"npx --no-install jest -c x.js --ci {NARROWED}"),
        ("yarn test", {"test": "NODE_ENV=test jest"}, f"NODE_ENV=test yarn run jest {NARROWED}"),
        ("pnpm test --ci", {"test": "jest"}, f"pnpm exec jest --ci {NARROWED}"),
        ("npm test --workspace=a", {"test": "jest"}, None),
        ("npm test", {"test": "jest && tsc"}, None),
        ("npm test", {"test": "jest", "pretest": "make"}, None),
        ("npm test", {"test": "react-scripts test"}, None),
        ("npm test", {"test": ["jest"]}, None),
        ("npm test", {}, None),
        ("npm test", None, None),
        ("bun test", {"test": "jest"}, None),
    ],
)
def test_a_script_of_package_json_that_is_one_plain_command_is_narrowed_as_that_command(
    run: str, scripts: dict[str, object] | None, narrowed: str | None
) -> None:
    data = json.dumps({"scripts": scripts}).encode() if scripts is not None else b"[not json"
    check = command_check(run)
    below = check.model_copy(update={"step": check.step.model_copy(update={"cwd": "./web/"})})
    for one, path in ((check, "package.json"), (below, "web/package.json")):
        found = narrow(one, [JEST], read={path: data}.get)
        assert (found.step.run if found else None) == narrowed


# CK-3
def test_a_script_that_runs_mocha_is_narrowed_to_the_tests_that_failed() -> None:
    data = json.dumps({"scripts": {"test": "NODE_ENV=test mocha --recursive spec"}}).encode()
    found = narrow(command_check("npm test"), [error("mocha", test="a › b")], read={"package.json": data}.get)
    assert found is not None
    assert found.step.run == "NODE_ENV=test npx --no-install mocha --recursive spec --grep '^a b$'"


# CK-3
@pytest.mark.parametrize(
    ("run", "found"),
    [
        ("pytest | tee log", PYTEST),
        ("cd x && pytest", PYTEST),
        ("pytest\nruff check .", PYTEST),
        ("pytest 'unclosed", PYTEST),
        ("pytest", error("pytest", file="a.py")),  # a collection error has no test id
        ("mypy -p package", error("mypy", file="a.py")),
        ("tsc --noEmit", error("tsc", file="a.ts")),  # with files named, tsc would not take the project's options
        ("vitest", error("vitest", test="a > b")),  # it waits for changes
        ("npm test", error("jest", test="a › b")),
        ("npx jest", error("jest", test="Test suite failed to run", file="a.test.ts")),
        ("node test.js", error("node", file="a.js")),
        ("bash build.sh", error("bash", file="a.sh")),
        ("go test ./... -args -x", error("go-test", test="m/p.TestA")),
        ("go test ./...", error("go-test", test="no test of go's")),
        ("cargo clippy", error("clippy", file="src/lib.rs")),
        ("mocha --grep=fast", error("mocha", test="a › b")),
        ("mocha --watch", error("mocha", test="a › b")),
        ("mocha -R tap", error("tap", test="a › b")),  # it doesn't tell whether any test was there
        ("mocha", error("mocha", test='a › "before each" hook for "b"')),
        ("cargo test", error("cargo-test", test="--evil")),
        ("ruff check .", error("ruff", code="F401", file="--evil.py")),
        ("ruff check .", error("ruff", code="F401")),
    ],
)
def test_what_is_not_simple_is_left_to_the_whole_step(run: str, found: CIError) -> None:
    assert narrow(command_check(run), [found]) is None


# CK-1, CK-3
def test_a_narrowed_check_has_the_services_of_the_whole_one() -> None:
    server = Server(kind="redis", image="redis:7", port=6379)
    check = narrow(command_check("pytest").model_copy(update={"servers": (server,)}), [PYTEST])
    assert check is not None
    assert check.servers == (server,)


@pytest.mark.parametrize(
    ("output", "nothing"),
    [
        ("ok  \texample.com/m/p\t0.002s [no tests to run]\n", True),
        ("ok  \texample.com/m/p\t0.002s\n", False),
        ("ok  \ta\t0.1s [no tests to run]\nok  \tb\t0.1s\n", False),
        ("\nrunning 0 tests\n\ntest result: ok.\n\nrunning 0 tests\n", True),
        ("\nrunning 1 test\n\ntest result: ok.\n\nrunning 0 tests\n", False),
        ("Tests:       3 skipped, 3 total\n", True),
        ("Tests:       3 skipped, 1 passed, 4 total\n", False),
        ("      Tests  3 skipped (3)\n", True),
        ("      Tests  1 passed | 2 skipped (3)\n", False),
        ("\n\n  0 passing (1ms)\n  2 pending\n", True),
        ("\n\n  1 passing (23ms)\n", False),
        ("1 passed in 0.01s\n", False),
        ("", False),
    ],
)
def test_a_name_that_no_test_has_is_noticed(output: str, nothing: bool) -> None:
    assert ran_nothing(CheckResult(check_key="k", tree="t", exit_code=0, output=output)) is nothing
    assert not ran_nothing(CheckResult(check_key="k", tree="t", exit_code=1, output=output))
