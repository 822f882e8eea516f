"""Detects from a command's output what its environment lacks; such a failure is no evidence about the code.

Covers a missing program, interpreter or third-party module, a version that is too old, and a service or network that is
not available. Each finding comes with a remedy, as a line that a person would type.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from healing.view import TreeView

REPRODUCE = "this environment can't reproduce it"
NOT_EXECUTABLE, NOT_FOUND = 126, 127
TYPED = frozenset(("pip", "npm", "npx", "pnpm", "yarn", "bun", "go", "cargo", "rustup", "apt-get"))
WHERE_HEAL_RUNS = (
    "that is for whoever runs Heal (docs/operating.md, HEAL_PROGRAMS), or your own CI tests the fixes (docs/config.md, "
    "`verify`)"
)
RIGHT_NAME = "check that `{}` is the right name; if it is, {}"
NOT_INSTALLED = "is not installed in the environment that checks use"
ENVIRONMENTS = (".venv", "venv", "env")
MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "environment.yml", "package.json", "tox.ini")
REQUIREMENTS = re.compile(r"(?:^|/)[\w-]*requirements[\w-]*(?:/[\w.-]+)?\.(?:txt|in)$")
SOURCES = (".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
LOCKS = (("pnpm-lock.yaml", "pnpm install"), ("yarn.lock", "yarn install"), ("bun.lock", "bun install"))


@dataclass(frozen=True)
class Lack:
    """Something missing: `why` names it; `advice` is the command that installs it, or what else to do. `in_config`
    replaces the advice where checks don't run in a person's own environment and heal.yml can help."""

    why: str
    advice: str
    in_config: str = ""

    def advised(self, personal: bool) -> str:
        """The advice for the place where checks run: with `personal`, the command to type in one's own environment;
        otherwise the entry for heal.yml, or what the operator of Heal has to do."""
        if personal:
            return self.advice
        if self.in_config:
            return f"{self.in_config[:1].upper()}{self.in_config[1:]}"
        if self.advice.partition(" ")[0] in TYPED:
            return f".github/heal.yml: setup: [{self.advice}]"
        return f"{self.advice[:1].upper()}{self.advice[1:]}: {WHERE_HEAL_RUNS}"


@dataclass(frozen=True)
class Sign:
    """A pattern in output and its meaning; `why` and `advice` may use its groups."""

    pattern: re.Pattern[str]
    why: str
    advice: str
    of_code_too: bool = (
        False  # the change itself may be the cause: counts only after a run on the base, where it must show as well
    )


def _sign(pattern: str, why: str, advice: str, of_code_too: bool = False) -> Sign:
    return Sign(re.compile(pattern, re.M), why, advice, of_code_too)


SIGNS = (
    _sign(
        r"^(?:go: .{0,200}?)?(?:go\.mod )?requires go >= (?P<a>[\d.]+) \(running go (?P<b>[\d.]+)",
        "go.mod asks for Go {a}, and this is Go {b}",
        "install Go {a} or newer, and put it first on your PATH",
    ),
    _sign(
        r"invalid go version '(?P<a>[\d.]+)'",
        "go.mod asks for Go {a}, which this Go is too old to read",
        "install Go {a} or newer, and put it first on your PATH",
    ),
    _sign(
        r"package (?P<a>[\w/.-]{1,80}) is not in (?:GOROOT|std)\b",
        "this Go has no package {a}: it may be too old",
        "install the Go that go.mod names, and put it first on your PATH",
        of_code_too=True,
    ),
    _sign(
        r"(?P<a>[\w./-]{1,120})@v[\w.+-]{1,80}: (?:module lookup disabled|mkdir .{1,200}: read-only|.{0,80}dial tcp)",
        "the module {a} is not in your module cache",
        "go mod download",
    ),
    _sign(
        r"^\S{1,300}\.go:\d+:\d+: module lookup disabled by GOPROXY=off",
        "a module that go.mod names is not in your module cache",
        "go mod download",
    ),
    _sign(
        r"no matching package named `(?P<a>[\w-]{1,80})` found|failed to download `(?P<b>[\w-]{1,80} v[\w.+-]{1,40})`",
        "the crate {a}{b} is not in your registry cache",
        "cargo fetch",
    ),
    _sign(
        r"error: toolchain '(?P<a>[^'\n]{1,80})' is not installed",
        "the Rust toolchain {a} is not installed",
        "rustup toolchain install {a}",
    ),
    _sign(
        r"`?cargo-?(?P<a>[a-z]{2,20})`? is not installed for the toolchain"
        r"|no such (?:sub)?command: `(?P<b>[a-z-]{2,30})`",
        "the cargo component {a}{b} is not installed",
        "rustup component add {a}{b}",
    ),
    _sign(
        r"EBADENGINE|Unsupported engine|ERR_PNPM_UNSUPPORTED_ENGINE|The engine \"node\" is incompatible",
        "this version of Node is not one that package.json allows",
        "use the version that package.json (engines) or .nvmrc names",
        of_code_too=True,
    ),
    _sign(
        r"requires a different Python: (?P<a>[\d.]+) not in '(?P<b>[^'\n]{1,60})'",
        "the project wants Python {b}, and this is {a}",
        "recreate the virtual environment with such a Python",
    ),
    _sign(
        r"Executable doesn't exist at .{0,200}(?:chrom|firefox|webkit)",
        "the browser that the tests drive is not installed",
        "npx playwright install",
    ),
    _sign(
        r"(?:ECONNREFUSED|[Cc]onnection refused)[\s\S]{0,120}\b(?P<a>5432|6379|27017|3306)\b"
        r"|\bport (?P<b>5432|6379|27017|3306)\b.{0,80}(?:refused|failed)",
        "nothing listens on port {a}{b}: a service is missing",
        "name the service under `services:` of a workflow and run `heal check`: it is started then",
    ),
    _sign(
        r"Temporary failure in name resolution|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|Could not resolve host",
        "the command wants the network, and checks have none",
        "name a command that runs without the network, as `pytest -m 'not network'`",
    ),
    _sign(
        r"Could not find a version that satisfies the requirement (?P<a>[\w.-]{1,80}).{0,200}\(from versions: none\)",
        "the command installs {a}, and checks have no network",
        "pip install {a}; and name a command that installs nothing",
    ),
    _sign(
        r"(?:\[Errno 30\] |EROFS: )[Rr]ead-only file system[^'\"]{0,60}['\"](?P<a>/[^'\"\n]{1,300})['\"]",
        "the command makes {a}, where checks can't write",
        "run it once yourself, so that what it makes is there",
    ),
    _sign(
        r"(?P<a>lib[\w.+-]{1,60}\.so[\d.]{0,10}): cannot open shared object file",
        "the library {a} is not there",
        "install the system package that holds {a}",
    ),
    _sign(
        r"Please tell me who you are\.|unable to auto-detect email address|empty ident name",
        "git has no name and address there",
        "git config --global user.name NAME && git config --global user.email ADDRESS",
    ),
    _sign(
        r"Inappropriate ioctl for device|(?:[Ii]nput device|stdin|stdout|standard input) is not a (?:TTY|tty|terminal)",
        "the command wants a terminal, and checks have none, as in CI",
        "name a command that runs without a terminal",
    ),
    _sign(
        r"(?P<a>\S{1,300}/bin/python[\d.]{0,5}): (?:bad interpreter: )?No such file or directory",
        "{a} leads to a Python that is no longer there",
        "recreate the virtual environment: python3 -m venv --clear .venv, and install what it had",
    ),
    _sign(
        r"fatal error: (?P<a>Python\.h): No such file", "Python's C headers are missing", "apt-get install python3-dev"
    ),
)
PROGRAM = re.compile(
    r"^(?:.{0,200}: )?(?P<a>[\w.+/-]{1,200}): (?:command not found|not found|No such file or directory)$"
    r"|^make\S{0,20}: (?P<b>[\w.+-]{1,100}): No such file or directory$"
    r"|^env: ['‘]?(?P<c>[\w.+-]{1,100})['’]?: No such file",
    re.M,
)
MAKE_ABSENT = re.compile(r"^make\S{0,20}: \*\*\* \[.{1,200}\] Error 127$", re.M)
RUN_AS_MODULE = re.compile(r"(?:^|/)python[\w.]{0,8}: No module named '?(?P<a>[\w.]{1,80})'?$", re.M)
PYTHON_MODULE = re.compile(r"ModuleNotFoundError: No module named ['\"](?P<a>[\w.]{1,200})['\"]")
NODE_MODULE = re.compile(r"(?:Cannot find (?:module|package)|Can't resolve) ['\"](?P<a>[@\w][^'\"\n]{0,200})['\"]")
# Import name → distribution, where the two differ.
DISTRIBUTIONS = {"yaml": "pyyaml", "bs4": "beautifulsoup4", "PIL": "pillow", "dateutil": "python-dateutil"} | {
    "sklearn": "scikit-learn",
    "cv2": "opencv-python",
    "attr": "attrs",
    "dotenv": "python-dotenv",
    "jwt": "pyjwt",
    "OpenSSL": "pyopenssl",
    "pkg_resources": "setuptools",
}


@dataclass(frozen=True)
class Scene:
    """Where a command failed: the tree, and whether the same command passes on the base of the change (None: there is
    no base, or it was not run there). `which` returns the path of the program that the person's shell would start, and
    `has` whether checks find one. `unseen` returns a file of the person's home that an output names and checks can't
    see; `left_out` does the same for the clone, given the paths of the repository. `built`: set-up created the
    environment from this very tree, so what the tree's files ask for is installed. `base`: the tree that the change
    starts from."""

    view: TreeView
    passes_on_base: bool | None = None
    which: Callable[[str], str | None] = lambda _: None
    has: Callable[[str], bool] = lambda _: False
    unseen: Callable[[str], str] = lambda _: ""
    left_out: Callable[[str, Collection[str]], str] = lambda *_: ""
    built: bool = False
    base: TreeView | None = None


def lack_of(exit_code: int | None, output: str, scene: Scene) -> Lack | None:
    """What is missing, where that is why the command failed; None where the cause may be the code.

    Where the command passes on the base, the environment has everything that the base needs: only what the change newly
    needs and declares can be missing.
    """
    return (
        _left_out(output, scene)
        or _program(exit_code, output, scene)
        or _python_module(output, scene)
        or _node_module(output, scene)
        or _signs(output, scene)
        or _unseen(output, scene)
    )


def _program(exit_code: int | None, output: str, scene: Scene) -> Lack | None:
    if exit_code == NOT_EXECUTABLE and not scene.passes_on_base:
        return Lack("the command can't be executed here (exit code 126)", "give the file its exec bit: chmod +x FILE")
    if exit_code != NOT_FOUND and not MAKE_ABSENT.search(output):
        return None
    match = PROGRAM.search(output)
    name = next((group for group in match.groups() if group), "") if match else ""
    if not name or name in scene.view.paths():
        return None
    if "/" in name:
        return _program_of_clone(posixpath.normpath(name), scene)
    return Lack(f"`{name}` {NOT_INSTALLED}", _install(name, scene))


def _program_of_clone(path: str, scene: Scene) -> Lack | None:
    """A program that a package manager installs inside the clone (`node_modules`, a virtual environment) and that is
    absent, or that checks can't see."""
    folder, _, name = path.rpartition("/")
    if name.startswith("python") or scene.passes_on_base:  # SIGNS covers a missing Python in more detail
        return None
    if "node_modules" in folder.split("/"):
        return Lack(f"`{path}` is not there", _node_install(scene.view))
    environment = folder.removesuffix("/bin")
    if environment == folder or posixpath.basename(environment) not in ENVIRONMENTS:
        return None
    wanted = name if name in PYTHON_PROGRAMS else "-e ." if can_be_installed(scene.view) else ""
    install = f" && {folder}/pip install {wanted}" if wanted else f", and install there what has {name}"
    return Lack(f"`{path}` is not there", f"python3 -m venv {environment}{install}")


# Programs whose pip package has the same name. For any other program or module that the repository doesn't declare no
# package is suggested: the name may be misspelt, the package may belong to somebody else, and a repository can print
# any name.
PYTHON_PROGRAMS = frozenset({
    "pytest", "ruff", "black", "isort", "flake8", "pylint", "mypy", "pyright", "tox", "nox", "hatch", "poetry", "pdm",
    "uv", "pre-commit", "coverage", "bandit", "codespell",
})  # fmt: skip


def _install(name: str, scene: Scene) -> str:
    if name == "python" and scene.has("python3"):
        return "python3 -m venv .venv  # checks use its python; or write python3 in the command"
    if not scene.built and (place := scene.which(name)):
        return f"it lies at {place}, which checks can't use; install {name} in the project's own environment"
    if name in ("python", "python3", "node", "npm", "npx", "cargo", "go", "rustc", "java", "ruby"):
        return f"install {name}, and put it on your PATH"
    if scene.view.read("package.json") is not None and not _has_python(scene.view):
        return _node_install(scene.view)
    if name in PYTHON_PROGRAMS:
        return f"pip install {name}"
    if not _has_python(scene.view):
        return f"install {name}, and put it on your PATH"
    if _declares(name, scene.view):
        return f"pip install {name}"
    return RIGHT_NAME.format(name, "install the package that has it")


def can_be_installed(view: TreeView) -> bool:
    """Whether pip could install the project itself."""
    return any(view.read(name) is not None for name in ("pyproject.toml", "setup.py"))


def _has_python(view: TreeView) -> bool:
    return any(view.read(name) is not None for name in ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"))


def _python_module(output: str, scene: Scene) -> Lack | None:
    if (as_program := RUN_AS_MODULE.search(output)) and not _in_tree(as_program["a"], scene.view):
        name = as_program["a"].partition(".")[0]
        return _module_lack(name, _declares(DISTRIBUTIONS.get(name, name), scene.view))
    for match in PYTHON_MODULE.finditer(output):
        name = match["a"].partition(".")[0]
        if _in_tree(name, scene.view):
            if scene.passes_on_base is False and not _is_top(name, scene.view):
                why = f"the project's own package {name} is not installed where checks run"
                folder = f"set PYTHONPATH to the folder that holds {name}"
                return Lack(why, "pip install -e ." if can_be_installed(scene.view) else folder)
            continue
        distribution = DISTRIBUTIONS.get(name, name)
        declared = _declares(distribution, scene.view)
        if not declared and _only_this_change_imports(name, scene):
            continue
        if (declared and not scene.built) or not scene.passes_on_base:
            return _module_lack(name, declared)
    return None


def _module_lack(name: str, declared: str) -> Lack:
    """A module that is missing. `declared`: the file in which the repository names its package; empty where none does,
    and then only those are named whose package is known here."""
    distribution = DISTRIBUTIONS.get(name, name)
    why = f"the Python module {name} {NOT_INSTALLED}" + (f", though {declared} names it" if declared else "")
    if REQUIREMENTS.search(declared):
        return Lack(why, f"pip install -r {declared}")
    program = distribution.replace("_", "-")  # `python -m pre_commit`
    if declared or name in DISTRIBUTIONS or program in PYTHON_PROGRAMS:
        return Lack(why, f"pip install {program if program in PYTHON_PROGRAMS else distribution}")
    in_config = RIGHT_NAME.format(name, "install that package under `setup:` in .github/heal.yml")
    return Lack(why, RIGHT_NAME.format(name, "install the package that has it"), in_config)


def _in_tree(name: str, view: TreeView) -> bool:
    """Whether a module of this name belongs to the repository, wherever its source folder is."""
    filenames = (f"{name}.py", f"{name}.pyi")
    return any(
        (p.endswith(filenames) and p.rpartition("/")[2] in filenames) or f"/{name}/" in f"/{p}" for p in view.paths()
    )


def _is_top(name: str, view: TreeView) -> bool:
    return any(path == f"{name}.py" or path.startswith(f"{name}/") for path in view.paths())


def _node_module(output: str, scene: Scene) -> Lack | None:
    for match in NODE_MODULE.finditer(output):
        name = "/".join(match["a"].split("/")[: 2 if match["a"].startswith("@") else 1])
        declared = _declares(name, scene.view, ("package.json",), quoted=True)
        if declared or (scene.passes_on_base is False and not _only_this_change_imports(name, scene)):
            return Lack(f"the package {name} is not installed", _node_install(scene.view))
    return None


def _only_this_change_imports(name: str, scene: Scene) -> bool:
    """Whether files that the change touches import the module and no file of the base does. The module is then misspelt
    or was forgotten in the manifest, whatever else fails on the base."""
    if scene.base is None:
        return False
    module = re.escape(name)
    python = re.compile(rf"^[ \t]*(?:from[ \t]+{module}\b|import[ \t]+(?:[\w., \t]{{0,200}}[ ,])?{module}\b)", re.M)
    node = re.compile(rf"['\"]{module}(?:/[^'\"\n]{{0,200}})?['\"]")

    def imports(view: TreeView, path: str) -> bool:
        data = view.read(path) if path.endswith(SOURCES) else None
        return (
            data is not None
            and (python if path.endswith(".py") else node).search(data.decode(errors="replace")) is not None
        )

    touched = [path for path in scene.view.paths() if scene.view.blob(path) != scene.base.blob(path)]
    if not any(imports(scene.view, path) for path in touched):
        return False
    return not any(imports(scene.base, path) for path in scene.base.paths())


def _node_install(view: TreeView) -> str:
    return next((command for lock, command in LOCKS if view.read(lock) is not None), "npm install")


def _declares(name: str, view: TreeView, files: Iterable[str] = (), quoted: bool = False) -> str:
    """The file in which the repository declares the package as a dependency; empty where none does."""
    spelt = re.sub(r"[-_.]+", "[-_.]+", re.escape(name).replace(r"\-", "-").replace(r"\.", "."))
    pattern = rf'"{re.escape(name)}"' if quoted else rf"(?im)(?:^|[\s\"'\[,]){spelt}(?=[\s\"'\]\[,;<>=!~@]|$)"
    candidates = files or (*MANIFESTS, *(path for path in view.paths() if REQUIREMENTS.search(path)))
    for path in candidates:
        data = view.read(path)
        if data is not None and re.search(pattern, data.decode(errors="replace")):
            return path
    return ""


def _left_out(output: str, scene: Scene) -> Lack | None:
    path = "" if scene.passes_on_base else scene.left_out(output, scene.view.paths())
    why = f"its output names {path} of your clone, which git ignores and checks don't see"
    return Lack(why, "keep it in the repository") if path else None


def _unseen(output: str, scene: Scene) -> Lack | None:
    path = "" if scene.passes_on_base else scene.unseen(output)
    if not path:
        return None
    advice = "keep what the command needs of it in the repository, or name it by a variable that tools use"
    return Lack(f"its output names {path}, and checks don't see that part of your home", advice)


def _signs(output: str, scene: Scene) -> Lack | None:
    if scene.passes_on_base:
        return None
    for sign in SIGNS:
        match = None if sign.of_code_too and scene.passes_on_base is None else sign.pattern.search(output)
        if match:
            groups = {"a": "", "b": ""} | {name: value or "" for name, value in match.groupdict().items()}
            return Lack(sign.why.format(**groups), sign.advice.format(**groups))
    return None
