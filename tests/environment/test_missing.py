"""What an environment lacks, and what is the code's own fault, read from real outputs."""

import pytest

from healing.checks.missing import FailureContext, find_missing
from healing.checks.missing.programs import missing_program
from healing.view import DictView

PYTHON = {"pyproject.toml": b'[project]\ndependencies = ["requests>=2", "PyYAML"]\n', "src/shop/__init__.py": b""}
NODE = {"package.json": b'{"devDependencies": {"mocha": "1", "@scope/kit": "2"}}', "pnpm-lock.yaml": b""}

PIP_FINDS_NOTHING = "Looking in links: /w\nERROR: Could not find a version that satisfies b (from versions: none)\n"

MISSING = [
    (127, "bash: line 1: nonsuch: command not found", PYTHON, "nonsuch", "check that `nonsuch` is the right name"),
    (127, "sh: 1: mocha: not found", NODE, "mocha", "pnpm install"),
    (2, "make: ruff: No such file or directory\nmake: *** [lint] Error 127", PYTHON, "ruff", "pip install ruff"),
    (1, "/x/.venv/bin/python: No module named pytest", PYTHON, "pytest", "pip install pytest"),
    (1, "ModuleNotFoundError: No module named 'requests'", PYTHON, "requests", "pip install requests"),
    (1, "ModuleNotFoundError: No module named 'yaml'", PYTHON, "yaml", "pip install pyyaml"),
    (1, "ModuleNotFoundError: No module named 'shop'", PYTHON, "shop", "pip install -e ."),
    (1, "ModuleNotFoundError: No module named 'shop'", {"src/shop/__init__.py": b""}, "shop", "set PYTHONPATH"),
    (1, "ModuleNotFoundError: No module named 'numpy_nope'", PYTHON, "numpy_nope", "check that `numpy_nope` is"),
    (1, "ModuleNotFoundError: No module named 'bs4'", PYTHON, "bs4", "pip install beautifulsoup4"),
    (1, "ModuleNotFoundError: No module named 'pkg_resources'", PYTHON, "pkg_resources", "install 'setuptools<82'"),
    (1, "/usr/bin/python3: No module named pre_commit", PYTHON, "pre_commit", "pip install pre-commit"),
    (1, "/usr/bin/python3: No module named nonsuch", PYTHON, "nonsuch", "check that `nonsuch` is the right name"),
    (127, "bash: line 1: python: command not found", {}, "python", "install python, and put it on your PATH"),
    (1, "Error: Cannot find module '@scope/kit/lib'", NODE, "@scope/kit", "pnpm install"),
    (1, "go: go.mod requires go >= 1.99 (running go 1.27.3; GOTOOLCHAIN=local)", {}, "1.99", "install Go 1.99"),
    (1, "go.mod:3: invalid go version '1.25.0': must match format 1.23", {}, "1.25.0", "Go"),
    (1, "go: github.com/x/y@v1.2.3: module lookup disabled by GOPROXY=off", {}, "github.com/x/y", "go mod download"),
    (1, "shop.go:3:8: module lookup disabled by GOPROXY=off", {}, "module cache", "go mod download"),
    (1, "fatal: unable to auto-detect email address (got 'x@y')", {}, "git has no name", "user.email"),
    (1, "OSError: [Errno 25] Inappropriate ioctl for device", {}, "terminal", "without a terminal"),
    (127, "sh: 1: .venv/bin/python: No such file or directory", {}, ".venv/bin/python", "python3 -m venv --clear"),
    (127, "bash: line 4: .venv/bin/pytest: No such file or directory", {}, ".venv/bin/pytest", ".venv/bin/pip install"),
    (127, "bash: line 1: ruff: command not found", {}, "ruff", "pip install ruff"),
    (127, "sh: 1: node_modules/.bin/mocha: not found", NODE, "node_modules/.bin/mocha", "pnpm install"),
    (101, "error: no matching package named `serde` found", {}, "serde", "cargo fetch"),
    (1, "request failed: Couldn't resolve host 'example.org'", {}, "network", "without the network"),
    (2, "ruff failed\n  Cause: Required version `==0.1` does not match the running version `0.17.6`\n", {}, "0.17.6",
     "pip install 'ruff==0.1'"),
    (1, "Oh no! 💥 💔 💥 The required version `22` does not match the running version `26.10.1`!", {}, "black 22",
     "pip install 'black==22.*'"),
    (1, "ConnectionError: Temporary failure in name resolution", {}, "network", "without the network"),
    (1, "OSError: [Errno 30] Read-only file system:\n'/home/a/.x'", {}, "/home/a/.x", "once yourself"),
    (1, "Error: EROFS: read-only file system, mkdir '/home/a/.cache/x'", {}, "/home/a/.cache/x", "once yourself"),
    (1, f"py: install_deps> python -I -m pip install b\n{PIP_FINDS_NOTHING}", {}, "what py", "tox -e py --notest"),
    (1, f"nox > Creating virtual environment (venv) in .nox/a\nnox > pip install b\n{PIP_FINDS_NOTHING}",
     {}, ".nox/a", "nox -R -s SESSION"),
    (1, "Could not find a version that satisfies the requirement flit (from versions: none)", {}, "flit", "no"),
    (4, "m.py: error: unrecognized arguments: --cov-report=xml --x\n  inifile: a\n", {}, "pytest-cov", "pip install"),
    (4, "pytest: error: unrecognized arguments: -nauto\n  inifile: None\n", {}, "pytest-xdist", "pip install"),
    (2, "  × No interpreter found for PyPy 3.11 in managed installations or search path", {}, "PyPy 3.11",
     "name a command"),
    (1, "RuntimeError: failed to find interpreter for Builtin discover of python_spec='python3.9'", {}, "python3.9 is",
     "install it"),
    (1, "OperationalError: connection failed: Connection refused\n\tIs it on port 5432?", {}, "5432", "services"),
]  # fmt: skip


# ENV-3, ENV-7
@pytest.mark.parametrize(("code", "output", "files", "named", "advice"), MISSING, ids=[row[1][:40] for row in MISSING])
def test_each_lack_is_named_with_the_line_that_helps(
    code: int, output: str, files: dict[str, bytes], named: str, advice: str
) -> None:
    missing = find_missing(code, output, FailureContext(DictView(files), passes_on_base=False))
    assert missing is not None
    assert named in missing.why
    assert advice in missing.advice


# What each tool prints in a network namespace without a network, or told to work offline.
NO_NETWORK = [
    ("npm", "npm error code ENOTCACHED\nnpm error request to https://registry.npmjs.org/left-pad"),
    ("npm", "npm ERR! code EAI_AGAIN\nnpm ERR! syscall getaddrinfo"),
    ("npm", "npm error code ENOTFOUND\nnpm error network request to https://registry.npmjs.org/left-pad failed"),
    ("npm", "npm error code ETIMEDOUT\nnpm error errno ETIMEDOUT"),
    ("npm", "Internal Error: Error when performing the request to https://registry.npmjs.org/pnpm"),
    ("pnpm", " ERR_PNPM_NO_OFFLINE_META  Failed to resolve left-pad@1.3.0 in package mirror"),
    ("pnpm", "Error: ERR_PNPM_RESOLVING_NPM_RESOLVER_NETWORK_ERROR\n\n  × installing dependencies"),
    ("yarn", "error Error: getaddrinfo EAI_AGAIN registry.yarnpkg.com"),
    ("yarn", 'error Couldn\'t find any versions for "left-pad" that matches "1.3.0" in our cache (p'),
    ("pip", "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<x>: Failed to "
     "establish a new connection: [Errno -3] Temporary failure in name resolution')': /six/\nERROR: Could not find a "
     "version that satisfies the requirement six (from versions: none)"),
    ("an isolated build", "subprocess.CalledProcessError: Command '['python', '-m', 'pip', '--python', "
     "'/tmp/build-env-x/bin/python', 'install', '--no-input', '-r', "
     "'/tmp/build-requirements-x.txt']' returned non-zero exit status 1."),
    ("uv", "hint: Packages were unavailable because the network was disabled. When the network is disabled, registry"),
    ("uv", "error: Failed to fetch: https://pypi.org/simple/six/\n  cause: error sending request for url\n"
     "  cause: client error (Connect)\n  cause: dns error\n"),
    ("Poetry", "Resolving dependencies...\n\nAll attempts to connect to pypi.org failed.\n\nProbable Causes:"),
    ("cargo", "Caused by:\n  [6] Could not resolve hostname (Could not resolve host: index.crates.io)"),
    ("cargo", "error: failed to download from `https://index.crates.io/config.json`"),
    ("go", 'a.go:3:8: github.com/pkg/errors@v0.9.1: Get "https://proxy.golang.org/x.zip": dial tcp: lookup proxy'),
    ("go", "go: github.com/pkg/errors@latest: module lookup disabled by GOPROXY=off"),
    ("apt", "Err:1 http://deb.debian.org/debian bookworm sl\n  Temporary failure resolving 'deb.debian.org'"),
    ("git", "fatal: unable to access 'https://github.com/x/y/': Could not resolve host: github.com"),
]  # fmt: skip


# ENV-3, ENV-7
@pytest.mark.parametrize("passes_on_base", [True, False, None])
@pytest.mark.parametrize(("tool", "output"), NO_NETWORK, ids=[row[1][:40] for row in NO_NETWORK])
def test_a_download_that_a_tool_could_not_make_is_for_set_up_even_where_the_base_passes(
    tool: str, output: str, passes_on_base: bool | None
) -> None:
    missing = find_missing(1, f"$ make check\n{output}\n", FailureContext(DictView({}), passes_on_base=passes_on_base))
    assert missing is not None
    assert missing.why == f"{tool} needs the network, and checks have none"
    assert "`setup:` in .github/heal.yml" in missing.advised(personal=False)


# ENV-3
@pytest.mark.parametrize(
    "output",
    [
        "E   AssertionError: 'npm error code ENOTFOUND' not in 'ready'\n",  # a test of somebody's own messages
        "npm warn request to https://registry.npmjs.org/npm failed, reason: getaddrinfo\nE   assert 1 == 2\n",
        "npm error code ELIFECYCLE\nnpm error errno 1\n",
        "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/no-such-package\n",
        "--- FAIL: TestDial (0.00s)\n    net_test.go:9: got dial tcp 127.0.0.1:1: connect: connection refused\n",
        "error: failed to get `a` as a dependency of package `b`\n",
        "ERROR: Could not find a version that satisfies the requirement six==99 (from versions: 1.16.0, 1.17.0)\n",
    ],
)
def test_words_about_the_network_that_no_download_printed_are_no_lack_of_it(output: str) -> None:
    assert find_missing(1, output, FailureContext(DictView({}), passes_on_base=True)) is None


# ENV-7
def test_a_module_that_nothing_declares_is_for_heal_yml_to_install_where_heal_runs_as_an_app() -> None:
    output = "ModuleNotFoundError: No module named 'numpy_nope'"
    missing = find_missing(1, output, FailureContext(DictView(PYTHON), passes_on_base=False))
    assert missing is not None
    assert missing.advised(personal=False) == (
        "Check that `numpy_nope` is the right name; if it is, install that package under `setup:` in .github/heal.yml"
    )


CODE = [
    (1, "ModuleNotFoundError: No module named 'jsn'", PYTHON),  # a slip of the pen: nobody declares it
    (1, "Error: Cannot find module './cart'", NODE),
    (1, "Error: Cannot find module 'nobody-names-it'", NODE),
    (1, "E   AssertionError: assert 1 == 2", PYTHON),
    (1, "package slicez is not in std", {}),
    (127, "bash: ./scripts/check.sh: No such file or directory", {}),
    (1, "  Cause: Required version `==0.1` does not match the running version `0.17.6`", {}),  # the change asks for it
]


# ENV-3
@pytest.mark.parametrize(("code", "output", "files"), CODE, ids=[row[1][:40] for row in CODE])
def test_what_passes_on_the_base_and_is_declared_by_nobody_is_the_codes_own(
    code: int, output: str, files: dict[str, bytes]
) -> None:
    assert find_missing(code, output, FailureContext(DictView(files), passes_on_base=True)) is None


# ENV-3
@pytest.mark.parametrize(
    ("output", "context"),
    [
        ("pytest: error: unrecognized arguments: --covv\n  inifile: None\n", {"passes_on_base": False}),
        ("tool.py: error: unrecognized arguments: --cov\n", {"passes_on_base": False}),
        ("pytest: error: unrecognized arguments: --cov\n  inifile: None\n", {"passes_on_base": True}),
        ("pytest: error: unrecognized arguments: --cov\n  inifile: None\n", {"built": True}),
    ],
)
def test_an_option_that_no_known_plugin_lacks_here_is_the_codes_own(output: str, context: dict[str, bool]) -> None:
    assert find_missing(4, output, FailureContext(DictView(PYTHON), **context)) is None  # type: ignore[arg-type]


# ENV-3
def test_what_the_change_itself_begins_to_need_is_missing_though_the_base_passes() -> None:
    missing = find_missing(
        1, "ModuleNotFoundError: No module named 'requests'", FailureContext(DictView(PYTHON), passes_on_base=True)
    )
    assert missing is not None
    assert "pyproject.toml names it" in missing.why


# ENV-3
def test_what_only_the_change_imports_and_nobody_declares_is_the_codes_own_though_the_base_is_red_too() -> None:
    base = {**PYTHON, **NODE, "src/shop/lexer.py": b"import string\n", "lib/a.js": b"require('util')\n"}
    slips = {
        "strings": {"src/shop/lexer.py": b"import strings\n"},
        "nobody-has-it": {"lib/a.js": b"require('nobody-has-it/lib')\n"},
    }
    output = {
        "strings": "ModuleNotFoundError: No module named 'strings'",
        "nobody-has-it": "Error: Cannot find module 'nobody-has-it/lib'",
    }
    for name, slip in slips.items():
        context = FailureContext(DictView({**base, **slip}), passes_on_base=False, base=DictView(base))
        assert find_missing(1, output[name], context) is None
        had = DictView(
            {**base, "src/shop/old.py": b"    from strings.x import y\n", "b.mjs": b'import "nobody-has-it"\n'}
        )
        missing = find_missing(1, output[name], FailureContext(context.view, passes_on_base=False, base=had))
        assert missing is not None, "the base needs it as well"
        assert name in missing.why


# ENV-3
def test_a_download_that_one_test_reports_hides_no_test_that_the_change_breaks() -> None:
    output = (
        "fatal: unable to access 'https://example.org/a/': Could not resolve host: example.org\n1 failed, 1 error\n"
    )
    view = DictView({"a.py": b""})
    missing = find_missing(1, output, FailureContext(view, passes_on_base=False))
    assert missing is not None
    assert missing.why == "git needs the network, and checks have none"
    assert find_missing(1, output, FailureContext(view, passes_on_base=False, breaks_tests=True)) is None


# ENV-3
@pytest.mark.parametrize(
    ("name", "missing"), [("backup_craete", False), ("bakup_create", False), ("shellcheck", True), ("restore", True)]
)
def test_a_function_of_a_script_that_another_line_misspells_is_no_program(name: str, missing: bool) -> None:
    scripts = {"b.sh": b"backup_create() {\n  :\n}\n", "c.bash": b"function restore_all {\n  :\n}\n"}
    found = missing_program(127, f"b.sh: line 9: {name}: command not found\n", FailureContext(DictView(scripts)))
    assert (found is not None) is missing
