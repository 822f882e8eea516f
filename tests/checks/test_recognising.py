"""Steps that look at the code, steps that prepare, and steps that do both."""

import pytest

from healing.checks.check import Script
from healing.checks.own_environment import without_installs
from healing.checks.recognising import is_check, is_lint, may_check, prepares, split_install_lines

CHECKS = [
    "pytest -q", "python -m pytest", "python3.11 -m unittest", "uv run pytest", "tox -e py", "pipx run nox -s tests",
    "npm test", "npm run lint", "pnpm -r test", "pnpm test:unit", "yarn lint", "npx eslint .", "bun test", "make check",
    "go test ./...", "go vet ./...", "cargo +nightly clippy", "cargo test --all", "./mvnw verify", "./gradlew build",
    "bundle exec rspec", "vendor/bin/phpunit", "dotnet test", "ctest --output-on-failure", "./scripts/test.sh",
    "python runtests.py", "python manage.py test", "bash ci/lint.sh", "pre-commit run -a", "hatch run cov",
    "uv sync && uv run pytest", "CI=1 pytest", "time pytest", "coverage run -m pytest", "mypy src; true",
    "node --test", "npx ava", "npx c8 node test.js", "npx tsd", "npx tap", "./go.test.sh", "bash tools/unit-tests.sh",
    "python scripts/run_tests.py", "./run-tests", "./scripts/check.py",
    'test -z "$(gofmt -l .)"', "[ -z `goimports -l .` ]", "python -Im sphinx -W docs out", "sphinx-build docs out",
    "python tests/test_restart.py", "./test-install.sh", "python tests/test_report.py",
]  # fmt: skip
PREPARATIONS = [
    "pip install pytest", "python -m pip install -U pip tox", "uv sync --frozen", "uv pip install -e .[test]", "npm ci",
    "pnpm install", "yarn", "yarn --immutable", "poetry install", "sudo apt-get install -y make", "make install-dev",
    "cargo install cargo-nextest", "go install mvdan.cc/gofumpt@latest", "rustup component add clippy",
    "bundle install", "echo pytest", "git checkout test", "mkdir -p tests", "corepack enable", "brew install make",
    "# pytest", "", "conda env create -f test.yml", "go mod download", "uv venv",
    "pip install -r tests/requirements.txt", "npm rm --save-dev x", "nvm install --default 18", "mise use go",
    "brew tap homebrew/x", "npx nyc report", "./ci/ci-setup.sh", "scripts/setup-test-db.sh", "python install_tests.py",
    "bash scripts/latest.sh",
]  # fmt: skip


@pytest.mark.parametrize("run", CHECKS)
def test_what_looks_at_the_code_is_a_check(run: str) -> None:
    assert is_check(Script(name="x", run=run))


@pytest.mark.parametrize("run", PREPARATIONS)
def test_what_prepares_is_none(run: str) -> None:
    assert not is_check(Script(name="x", run=run))
    assert prepares(Script(name="x", run=run))


@pytest.mark.parametrize(
    "run", ["python tools/judge.py", "./verify --all", "pip install x\nmy-linter src", "ruby a.rb"]
)
def test_what_may_be_a_check_is_told_from_what_is_none(run: str) -> None:
    assert may_check(Script(name="x", run=run))


@pytest.mark.parametrize(
    "run",
    [
        *CHECKS, "pip install pytest", "yarn", "echo done", "git checkout test", "bash codecov upload",
        "if [ -f x ]; then\nrm -r x\nfi", "docker login -u x", "python -m twine upload dist/*", "export A=b", "", "A=1",
    ],
)  # fmt: skip
def test_what_is_known_or_only_moves_things_is_not_taken_for_a_possible_check(run: str) -> None:
    assert not may_check(Script(name="x", run=run))


@pytest.mark.parametrize(
    ("run", "both"),
    [
        ("npm run build", True),
        ("cargo build", True),
        ("make", True),
        ("make -j 4", True),
        ("make test", False),
        ("pytest", False),
    ],
)
def test_a_build_is_a_check_and_prepares(run: str, both: bool) -> None:
    assert is_check(Script(name="x", run=run))
    assert prepares(Script(name="x", run=run)) is both


def test_only_what_reads_nothing_but_files_is_lint() -> None:
    assert is_lint(Script(name="x", run="ruff check .\nmypy src"))
    assert not is_lint(Script(name="x", run="ruff check .\npytest"))


@pytest.mark.parametrize(
    ("run", "first", "rest"),
    [
        ("pip install tox\ntox -e py", "pip install tox", "tox -e py"),
        ("pip install \\\n -U pip\npip install x\npytest\n", "pip install   -U pip\npip install x", "pytest"),
        ("pytest", None, "pytest"),
        ("pip install $X\npytest", None, "pip install $X\npytest"),
        ("cd a\npip install x\npytest", None, "cd a\npip install x\npytest"),
        ("pip install x", None, "pip install x"),
    ],
)  # fmt: skip
def test_leading_installs_are_set_up_of_their_own(run: str, first: str | None, rest: str) -> None:
    setup, check = split_install_lines(Script(name="x", run=run))
    assert ((setup.run if setup else None), check.run) == (first, rest)


def test_a_long_hostile_line_is_read_in_no_time() -> None:
    assert not is_check(Script(name="x", run="pip " + "-a " * 100_000 + "\n" + "npm " + "-" * 100_000))


# ENV-1
@pytest.mark.parametrize(
    ("run", "shell", "left"),
    [
        ("nvm install 18\nnode --version", "bash", "\nnode --version"),
        ('nvm install --default 18\ndirname "$(nvm which 18)" >> "$GITHUB_PATH"', "bash", None),
        ("nvm install --default 18", "bash -eo pipefail -l {0}", None),
        ("pyenv global 3.12", "", None),
        ("rustup default stable", "", None),
        ("npm config set shrinkwrap false\npoetry config virtualenvs.create false", "", None),
        ("git config user.name x", "", "git config user.name x"),
        ("npm uninstall a && npm run generate", "", "npm run generate"),
        ("mise run generate", "", "mise run generate"),
    ],
)
def test_what_would_choose_a_version_is_not_run_in_a_persons_own_environment(
    run: str, shell: str, left: str | None
) -> None:
    kept = without_installs(Script(name="x", run=run, shell=shell))
    assert (kept.run.strip("\n") if kept else None) == (left.strip("\n") if left else None)
