"""Programs that a command can't start."""

import posixpath
import re

from healing.checks.missing.manifests import PYTHON_PROGRAMS, can_be_installed, declares, node_install
from healing.checks.missing.values import NOT_INSTALLED, RIGHT_NAME, FailureContext, MissingRequirement
from healing.spelling import is_slip
from healing.view import TreeView

NOT_EXECUTABLE, NOT_FOUND = 126, 127
ENVIRONMENTS = (".venv", "venv", "env")
PROGRAM = re.compile(
    r"^(?:.{0,200}: )?(?P<a>[\w.+/-]{1,200}): (?:command not found|not found|No such file or directory)$"
    r"|^make\S{0,20}: (?P<b>[\w.+-]{1,100}): No such file or directory$"
    r"|^env: ['‘]?(?P<c>[\w.+-]{1,100})['’]?: No such file",
    re.M,
)
SHELL, MAX_SCRIPTS, MAX_BYTES = (".sh", ".bash", ".bats", ".zsh", ".ksh"), 200, 200_000
FUNCTION = re.compile(rb"^[ \t]*(?:function[ \t]+([\w-]{3,60})|([\w-]{3,60})[ \t]*\(\))", re.M)
MAKE_ABSENT = re.compile(r"^make\S{0,20}: \*\*\* \[.{1,200}\] Error 127$", re.M)


def missing_program(exit_code: int | None, output: str, context: FailureContext) -> MissingRequirement | None:
    """The program that the command could not start: it is not executable, not installed, or not in the clone."""
    if exit_code == NOT_EXECUTABLE and not context.passes_on_base:
        why = "the command can't be executed here (exit code 126)"
        return MissingRequirement(why, "give the file its exec bit: chmod +x FILE")
    if exit_code != NOT_FOUND and not MAKE_ABSENT.search(output):
        return None
    match = PROGRAM.search(output)
    name = next((group for group in match.groups() if group), "") if match else ""
    if not name or name in context.view.paths():
        return None
    if "/" in name:
        return _program_of_clone(posixpath.normpath(name), context)
    if misspells_a_function(name, context.view):
        return None
    return MissingRequirement(f"`{name}` {NOT_INSTALLED}", _install(name, context))


def misspells_a_function(name: str, view: TreeView) -> bool:
    """Whether a shell script of the repository defines a function that the name is a slip of the pen for."""
    scripts = [path for path in view.paths() if path.endswith(SHELL)][:MAX_SCRIPTS]
    texts = ((view.read(path) or b"")[:MAX_BYTES] for path in scripts)
    return any(is_slip(name, function.decode()) for text in texts for function in map(b"".join, FUNCTION.findall(text)))


def _program_of_clone(path: str, context: FailureContext) -> MissingRequirement | None:
    """A program that a package manager installs inside the clone (`node_modules`, a virtual environment) and that is
    absent, or that checks can't see."""
    folder, _, name = path.rpartition("/")
    if name.startswith("python") or context.passes_on_base:  # output_patterns.py covers Python
        return None
    if "node_modules" in folder.split("/"):
        return MissingRequirement(f"`{path}` is not there", node_install(context.view))
    environment = folder.removesuffix("/bin")
    if environment == folder or posixpath.basename(environment) not in ENVIRONMENTS:
        return None
    wanted = name if name in PYTHON_PROGRAMS else "-e ." if can_be_installed(context.view) else ""
    install = f" && {folder}/pip install {wanted}" if wanted else f", and install there what has {name}"
    return MissingRequirement(f"`{path}` is not there", f"python3 -m venv {environment}{install}")


def _install(name: str, context: FailureContext) -> str:
    """The advice for installing a program that is not part of the clone."""
    python_files = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
    has_python = any(context.view.read(file) is not None for file in python_files)
    if name == "python" and context.has("python3"):
        return "python3 -m venv .venv  # checks use its python; or write python3 in the command"
    if not context.built and (place := context.which(name)):
        return f"it lies at {place}, which checks can't use; install {name} in the project's own environment"
    if name in ("python", "python3", "node", "npm", "npx", "cargo", "go", "rustc", "java", "ruby"):
        return f"install {name}, and put it on your PATH"
    if context.view.read("package.json") is not None and not has_python:
        return node_install(context.view)
    if name in PYTHON_PROGRAMS:
        return f"pip install {name}"
    if not has_python:
        return f"install {name}, and put it on your PATH"
    if declares(name, context.view):
        return f"pip install {name}"
    return RIGHT_NAME.format(name, "install the package that has it")
