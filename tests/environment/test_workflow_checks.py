"""What a workflow runs is judged on a laptop in the person's own environment, whatever would make one in CI."""

from tests.cli.conftest import write
from tests.environment.conftest import SHOP, TEST, Shell, packages

CI = """\
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    outputs: {versions: "${{ steps.made.outputs.supported_python_classifiers_json_array }}"}
    steps:
      - uses: actions/checkout@v4
      - {id: made, uses: hynek/build-and-inspect-python-package@v2}
  test:
    needs: build
    strategy:
      matrix:
        python: "${{ fromJSON(needs.build.outputs.versions) }}"
        os: [ubuntu-latest, windows-latest]
    runs-on: ${{ matrix.os }}
    env: {PYTHON: "${{ matrix.python }}"}
    steps:
      - uses: actions/checkout@v4
      - {uses: actions/download-artifact@v4, with: {name: Packages, path: dist}}
      - {run: "tar xf dist/*.tar.gz --strip-components=1\\nrm -rf src"}
      - {uses: astral-sh/setup-uv@v6}
      - {name: Tests, run: "uvx --with tox-uv tox run --installpkg dist/*.whl -f ${PYTHON}-unit"}
"""
TOX = """\
[tox]
env_list = 3.{9-14}-{unit,docs}
[testenv]
commands =
    unit: coverage run -m unittest discover -q -s tests
    docs: sphinx-build docs out
"""
FILES = {
    ".github/workflows/ci.yml": CI,
    "tox.ini": TOX,
    "src/shop.py": SHOP,
    "tests/test_shop.py": TEST,
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
}


# ENV-2, ENV-9, CK-1
def test_tests_of_a_built_wheel_in_a_computed_matrix_are_judged_in_the_environment_that_is_there(shell: Shell) -> None:
    clone = shell.clone("wheel", FILES)
    (packages(clone) / "__editable__.shop.pth").write_text(f"{clone / 'src'}\n")
    result = shell.heal(clone, "check")
    assert result.code == 0, result
    assert "unit): exit code 0" in result.out
    assert "the same job on Linux is run in its place" in result.err
    write(clone, {"src/shop.py": SHOP.replace("sum(prices)", "sum(prices) + 1")})
    result = shell.heal(clone, "check")
    assert result.code == 1, result
    assert "tests/test_shop.py" in result.out


# ENV-7, CK-8
def test_a_job_that_makes_an_environment_is_reproducible_in_one_that_is_there(shell: Shell) -> None:
    workflow = "jobs: {types: {steps: [{name: All, run: poetry run python -m unittest discover -s tests}]}}\n"
    clone = shell.clone("poetry-job", {**FILES, ".github/workflows/ci.yml": workflow})
    (packages(clone) / "__editable__.shop.pth").write_text(f"{clone / 'src'}\n")
    result = shell.heal(clone, "config", "check", "--quiet")
    assert result.code == 0, result
    assert "ok  types: reproducible" in result.out


# ENV-2
def test_hooks_of_pre_commit_judge_too_where_their_tool_is_there_and_the_others_are_named(shell: Shell) -> None:
    hooks = "repos:\n- {repo: local, hooks: [{id: names, entry: python names.py, language: system, "
    hooks += "pass_filenames: false}]}\n- {repo: https://example.org/x, hooks: [{id: mypy}]}\n"
    workflow = "jobs: {t: {steps: [{run: python -m unittest discover -q -s tests}]}}\n"
    more = {".pre-commit-config.yaml": hooks, "names.py": "import sys\nsys.exit('tests/test_shop.py:1: bad name')\n"}
    clone = shell.clone("hooks", {**FILES, **more, ".github/workflows/ci.yml": workflow})
    (packages(clone) / "__editable__.shop.pth").write_text(f"{clone / 'src'}\n")
    result = shell.heal(clone, "check")
    assert result.code == 1, result
    assert "red  pre-commit names: exit code 1" in result.out
    assert "pre-commit: not run here, their tools are not in your environment: mypy" in result.err


# ENV-7
def test_every_lack_ends_with_a_line_that_helps(shell: Shell) -> None:
    steps = "{name: Tool, run: no-such-linter . && ruff-not-here check .}, {name: Set, run: exit 3}, "
    steps += "{name: After, run: python -m unittest discover -q -s tests}"
    clone = shell.clone("lacks", {**FILES, ".github/workflows/ci.yml": f"jobs: {{t: {{steps: [{steps}]}}}}\n"})
    (packages(clone) / "__editable__.shop.pth").write_text(f"{clone / 'src'}\n")
    result = shell.heal(clone, "check")
    assert result.code == 3, result
    line = next(line for line in result.out.splitlines() if line.startswith("     try: "))
    assert line == "     try: heal check --run 'python -m unittest discover -q -s tests'"
    helped = shell.heal(clone, "check", "--run", "python -m unittest discover -q -s tests")
    assert helped.code == 0, helped
