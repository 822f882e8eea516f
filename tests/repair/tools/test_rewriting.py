"""Failing commands that can write what they demand: a check's own option to write, and commands that rewrite files."""

import pytest

from healing.checks.check import CheckResult, command_check
from healing.model import Category, CIError, NotChecked
from healing.repair.tools.applying import Autofix
from healing.repair.tools.rewriting import Rewriting, rewriting_of
from healing.verify.verifier import Verifier
from tests.pipeline.bench import Bench

FORMAT = CIError(id="E1", tool="shfmt", category=Category.FORMAT, message="not formatted", file="a.sh")
SCRIPTS = b'{"scripts": {"lint:sql": "sqlfluff lint db"}}'


def rewriting(command: str, output: str = "", *errors: CIError, seconds: float = 1.0) -> Rewriting | None:
    result = CheckResult(check_key="k", tree="t", exit_code=1, errors=errors, output=output, seconds=seconds)
    files = {"a.sh": b"", "docs/cli.md": b"", "package.json": SCRIPTS}
    return rewriting_of(command_check(command), result, files, files.get)


# AF-1
@pytest.mark.parametrize(
    ("command", "name", "writes"),
    [
        ("shfmt -d -i 2 a.sh", "shfmt", "shfmt -w -i 2 a.sh"),
        ("uv run yapf --diff -r src", "yapf", "uv run yapf --in-place -r src"),
        ("python -m autopep8 -r --diff --exit-code .", "autopep8", "python -m autopep8 -r --in-place ."),
        ("clang-format --dry-run -Werror a.c", "clang-format", "clang-format -i a.c"),
        ("sqlfluff lint --dialect ansi a.sql", "sqlfluff", "sqlfluff fix --dialect ansi a.sql"),
        ("npm run lint:sql", "sqlfluff", "npx --no-install sqlfluff fix db"),
        ("taplo fmt --check", "taplo", "taplo fmt"),
        ("yapf -d *.py 'a b.py'", "yapf", "yapf --in-place *.py 'a b.py'"),
        ("terraform fmt -check -recursive", "terraform", "terraform fmt -recursive"),
        ("ormolu --mode check src/A.hs", "ormolu", "ormolu --mode inplace src/A.hs"),
        ("npx oxlint src", "oxlint", "npx oxlint --fix src"),
        ("bundle exec rubocop", "rubocop", "bundle exec rubocop --autocorrect"),
        ("yapf --diff -r . && pytest -q", "yapf", "yapf --in-place -r ."),
        ("cargo +nightly fmt --all -- --check", "cargo", "cargo +nightly fmt --all --"),
        ("./gradlew --no-daemon ktlintCheck test", "gradlew", "./gradlew --no-daemon ktlintFormat test"),
        ("mvn -B spotless:check", "mvn", "mvn -B spotless:apply"),
        ("dune build @fmt", "dune", "dune build @fmt --auto-promote"),
        ("shfmt -d a.sh\nyapf --diff a.py", "shfmt", "shfmt -w a.sh || :\nyapf --in-place a.py"),
    ],
)
def test_a_check_is_called_with_its_option_to_write(command: str, name: str, writes: str) -> None:
    found = rewriting(command, "", FORMAT)
    assert found is not None
    (call,) = found.calls
    assert (found.name, call.argv) == (name, ("bash", "-c", f"{writes} || :"))


# AF-1
@pytest.mark.parametrize(
    "command", ["shfmt a.sh", "terraform plan -check", "yapf src", "pytest -q", "pytest -q | tee log"]
)
def test_what_is_no_check_or_not_known_is_not_run_again(command: str) -> None:
    assert rewriting(command, "", FORMAT) is None


# AF-1
@pytest.mark.parametrize(
    ("command", "writes"),
    [
        ("diff -u <(echo -n) <(gofmt -d .)", "diff -u <(echo -n) <(gofmt -w .)"),
        ('for f in *.sh; do shfmt -d "$f" || bad=1; done', 'for f in *.sh; do shfmt -w "$f" || bad=1; done'),
    ],
)
def test_checks_inside_of_more_than_a_list_of_commands_write_in_their_place(command: str, writes: str) -> None:
    found = rewriting(command, "", FORMAT)
    assert found is not None
    assert found.calls[0].argv[2] == f"export MAKEFLAGS=-i\n(\n{writes}\n) || :"


# AF-1
def test_a_command_that_rewrites_files_by_itself_is_run_as_it_is() -> None:
    diff = "diff --git a/docs/cli.md b/docs/cli.md\n--- a/docs/cli.md\n+++ b/docs/cli.md\n"
    command = "make docs && git diff --exit-code"
    found = rewriting(command, diff, FORMAT)
    assert found is not None
    assert (found.mentioned, found.calls[0].argv[2]) == (("docs/cli.md",), f"export MAKEFLAGS=-i\n(\n{command}\n) || :")
    assert rewriting(command, "a test failed\n", FORMAT) is None
    assert rewriting(command) is not None, "nothing could be read"
    assert rewriting(command, seconds=100.0) is None, "nor is that worth another slow run"


CHECK = """\
for file in *.txt; do
  cp "$file" before
  sed -i s/BAD/good/ "$file"
  cmp -s "$file" before || bad=1
done
rm before
exit ${bad:-0}
"""


async def applied(bench: Bench, check: str, files: dict[str, str]) -> tuple[Verifier, list[NotChecked]]:
    verifier, output = await bench.verifier(files, check), list[NotChecked]()
    await Autofix(verifier, output, frozenset({"a.txt", "a.py"})).run(tuple(verifier.errors.values()))
    return verifier, output


# AF-1, JD-4
async def test_what_a_command_writes_by_itself_is_offered_where_it_turns_it_green(bench: Bench) -> None:
    files = {"a.txt": "BAD\n", "read.py": "print(open('a.txt').read())\n"}
    verifier, output = await applied(bench, CHECK, files)
    (proposal,) = verifier.accepted
    assert (proposal.source, proposal.edits[0].new_string, output) == ("autofix:check", "good\n", [])
    assert "code of this branch" in proposal.explanation


# AF-1
async def test_files_that_neither_the_change_nor_the_output_names_stay(bench: Bench) -> None:
    files = {"a.txt": "BAD\n", "b.txt": "BAD\n", "read.py": "print(open('a.txt').read(), open('b.txt').read())\n"}
    verifier, _ = await applied(bench, CHECK, files)
    assert verifier.accepted == [], "the other file is still written anew in each run"
    verifier, _ = await applied(bench, f"ls *.txt\n{CHECK}", files)
    assert {edit.file for proposal in verifier.accepted for edit in proposal.edits} == {"a.txt", "b.txt"}
