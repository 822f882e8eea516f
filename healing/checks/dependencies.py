"""Whether a change asks for other dependencies than the commit that it is based on."""

import json
import re
import tomllib
from configparser import ConfigParser
from configparser import Error as BrokenConfig
from typing import Any

from healing.view import TreeView

# Files that say nothing but what is to be installed, and in which version.
VERSIONS = re.compile(
    r"(?:^|/)(?:[\w-]*(?:requirements|constraints)[\w-]*(?:/[\w.-]+)?\.(?:txt|in)|[\w.-]*[.-]lock(?:\.json|\.ya?ml|b)?"
    r"|npm-shrinkwrap\.json|Pipfile|environment\.ya?ml|setup\.py|go\.(?:mod|sum)|Gemfile|rust-toolchain(?:\.toml)?"
    r"|\.pre-commit-config\.yaml|\.(?:python|node)-version|\.nvmrc|\.tool-versions|\.?mise\.toml)$"
)


def changed_dependencies(before: TreeView, after: TreeView) -> str:
    """The first file whose dependencies, or versions of them, differ between two trees; empty where none do. Where both
    are checked with what only one of them asks for, the other's result says little."""
    for path in sorted({*before.paths(), *after.paths()}):
        declared = DECLARED.get(path.rpartition("/")[2])
        if not (declared or VERSIONS.search(path)) or before.blob(path) == after.blob(path):
            continue
        if declared is None or declared(before.read(path) or b"") != declared(after.read(path) or b""):
            return path
    return ""


def _of_pyproject(data: bytes) -> Any:
    try:
        project = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    tools = _table(project, "tool")
    poetry, pdm, uv = (_table(tools, name) for name in ("poetry", "pdm", "uv"))
    return (
        *(_table(project, "project").get(key) for key in ("dependencies", "optional-dependencies", "requires-python")),
        *(project.get(key) for key in ("dependency-groups", "build-system")),
        *(poetry.get(key) for key in ("dependencies", "dev-dependencies", "group")),
        *(pdm.get("dev-dependencies"), uv.get("dev-dependencies"), uv.get("constraint-dependencies")),
    )


def _of_package(data: bytes) -> Any:
    try:
        package = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return None
    kinds = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "overrides", "engines")
    return [package.get(kind) for kind in kinds] if isinstance(package, dict) else None


def _of_setup(data: bytes) -> Any:
    config = ConfigParser(interpolation=None)
    try:
        config.read_string(data.decode(errors="replace"))
    except (BrokenConfig, ValueError):
        return None
    keys = ("install_requires", "python_requires", "setup_requires", "tests_require")
    extras = dict(config["options.extras_require"]) if config.has_section("options.extras_require") else {}
    return [config.get("options", key, fallback="") for key in keys], extras


def _of_cargo(data: bytes) -> Any:
    try:
        crate = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    kinds = ("dependencies", "dev-dependencies", "build-dependencies", "target")
    return *(crate.get(kind) for kind in kinds), _table(crate, "workspace").get("dependencies")


def _table(of: dict[str, Any], name: str) -> dict[str, Any]:
    found = of.get(name)
    return found if isinstance(found, dict) else {}


DECLARED = {
    "pyproject.toml": _of_pyproject,
    "package.json": _of_package,
    "setup.cfg": _of_setup,
    "Cargo.toml": _of_cargo,
}
