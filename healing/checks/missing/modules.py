"""Python and Node modules that a program can't import."""

import re

from healing.checks.missing.manifests import PYTHON_PROGRAMS, REQUIREMENTS, can_be_installed, declares, node_install
from healing.checks.missing.values import NOT_INSTALLED, RIGHT_NAME, FailureContext, MissingRequirement
from healing.view import TreeView

SOURCES = (".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
RUN_AS_MODULE = re.compile(r"(?:^|/)python[\w.]{0,8}: No module named '?(?P<a>[\w.]{1,80})'?$", re.M)
PYTHON_MODULE = re.compile(r"ModuleNotFoundError: No module named ['\"](?P<a>[\w.]{1,200})['\"]")
NODE_MODULE = re.compile(r"(?:Cannot find (?:module|package)|Can't resolve) ['\"](?P<a>[@\w][^'\"\n]{0,200})['\"]")
# Import name → distribution, where the two differ.
DISTRIBUTIONS = {
    "yaml": "pyyaml", "bs4": "beautifulsoup4", "PIL": "pillow", "dateutil": "python-dateutil",
    "sklearn": "scikit-learn", "cv2": "opencv-python", "attr": "attrs", "dotenv": "python-dotenv", "jwt": "pyjwt",
    "OpenSSL": "pyopenssl", "pkg_resources": "setuptools",
}  # fmt: skip
LAST_WITH_IT = {"pkg_resources": "'setuptools<82'"}
"""Modules that newer versions of their distribution no longer have."""


def missing_python_module(output: str, context: FailureContext) -> MissingRequirement | None:
    """The first Python module that the output names and that the environment should have."""
    if (as_program := RUN_AS_MODULE.search(output)) and not _in_tree(as_program["a"], context.view):
        name = as_program["a"].partition(".")[0]
        return _missing_module(name, declares(DISTRIBUTIONS.get(name, name), context.view))
    for match in PYTHON_MODULE.finditer(output):
        name = match["a"].partition(".")[0]
        if _in_tree(name, context.view):
            if context.passes_on_base is False and "." in match["a"]:  # what is above it could be imported
                return _unwritten_module(match["a"], context.view)
            if context.passes_on_base is False and not _is_top(name, context.view):
                why = f"the project's own package {name} is not installed where checks run"
                folder = f"set PYTHONPATH to the folder that holds {name}"
                return MissingRequirement(why, "pip install -e ." if can_be_installed(context.view) else folder)
            continue
        distribution = DISTRIBUTIONS.get(name, name)
        declared = declares(distribution, context.view)
        if not declared and _only_this_change_imports(name, context):
            continue
        if (declared and not context.built) or not context.passes_on_base:
            return _missing_module(name, declared)
    return None


def _missing_module(name: str, declared: str) -> MissingRequirement:
    """A module that is missing. `declared`: the file in which the repository names its package; empty where none does,
    and then only those are named whose package is known here."""
    distribution = DISTRIBUTIONS.get(name, name)
    why = f"the Python module {name} {NOT_INSTALLED}" + (f", though {declared} names it" if declared else "")
    if last := LAST_WITH_IT.get(name):
        return MissingRequirement(why, f"pip install {last}")
    if REQUIREMENTS.search(declared):
        return MissingRequirement(why, f"pip install -r {declared}")
    program = distribution.replace("_", "-")  # `python -m pre_commit`
    if declared or name in DISTRIBUTIONS or program in PYTHON_PROGRAMS:
        return MissingRequirement(why, f"pip install {program if program in PYTHON_PROGRAMS else distribution}")
    in_config = RIGHT_NAME.format(name, "install that package under `setup:` in .github/heal.yml")
    return MissingRequirement(why, RIGHT_NAME.format(name, "install the package that has it"), in_config)


def _unwritten_module(name: str, view: TreeView) -> MissingRequirement:
    why = f"no file of the repository is the module {name}, so what builds or installs the project may write it"
    return MissingRequirement(why, "pip install -e ." if can_be_installed(view) else f"run what writes {name}")


def _in_tree(name: str, view: TreeView) -> bool:
    """Whether a module of this name belongs to the repository, wherever its source folder is."""
    filenames = (f"{name}.py", f"{name}.pyi")
    return any(
        (p.endswith(filenames) and p.rpartition("/")[2] in filenames) or f"/{name}/" in f"/{p}" for p in view.paths()
    )


def _is_top(name: str, view: TreeView) -> bool:
    return any(path == f"{name}.py" or path.startswith(f"{name}/") for path in view.paths())


def missing_node_module(output: str, context: FailureContext) -> MissingRequirement | None:
    """The first Node package that the output names and that the environment should have."""
    for match in NODE_MODULE.finditer(output):
        name = "/".join(match["a"].split("/")[: 2 if match["a"].startswith("@") else 1])
        declared = declares(name, context.view, ("package.json",), quoted=True)
        if declared or (context.passes_on_base is False and not _only_this_change_imports(name, context)):
            return MissingRequirement(f"the package {name} is not installed", node_install(context.view))
    return None


def _only_this_change_imports(name: str, context: FailureContext) -> bool:
    """Whether files that the change touches import the module and no file of the base does. The module is then misspelt
    or was forgotten in the manifest, whatever else fails on the base."""
    if context.base is None:
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

    touched = [path for path in context.view.paths() if context.view.blob(path) != context.base.blob(path)]
    if not any(imports(context.view, path) for path in touched):
        return False
    return not any(imports(context.base, path) for path in context.base.paths())
