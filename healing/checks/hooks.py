"""What pre-commit would run: the hooks of .pre-commit-config.yaml as direct calls of their tools.

pre-commit itself clones every hook's repository. The tools behind the common hooks are packages of the same name, which
people usually have installed; the default arguments come from each hook's own .pre-commit-hooks.yaml.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from healing.checks.source import Items, SourceMapping, WorkflowError, read_yaml
from healing.view import TreeView

CONFIG = ".pre-commit-config.yaml"
PYTHON = ("*.py", "*.pyi")
PROSE = ("*.md", "*.rst", "*.txt", *PYTHON)
# Hooks about white space, links and sizes: what they report is not an error in the code.
TIDY = frozenset(
    (
        *("trailing-whitespace", "end-of-file-fixer", "mixed-line-ending", "check-added-large-files"),
        *(
            "check-case-conflict",
            "check-merge-conflict",
            "check-symlinks",
            "fix-byte-order-marker",
            "no-commit-to-branch",
        ),
        *("check-vcs-permalinks", "destroyed-symlinks", "forbid-submodules", "requirements-txt-fixer"),
        *("check-executables-have-shebangs", "check-shebang-scripts-are-executable", "detect-private-key"),
        *("check-hooks-apply", "check-useless-excludes", "rst-backticks", "rst-directive-colons"),
        *("rst-inline-touching-normal", "debug-statements", "check-docstring-first", "file-contents-sorter"),
        *("check-toml", "check-yaml", "check-json", "check-xml", "check-ast", "pretty-format-json", "name-tests-test"),
        *("python-check-blanket-noqa", "python-check-blanket-type-ignore", "python-use-type-annotations"),
        *("text-unicode-replacement-char", "check-builtin-literals", "double-quote-string-fixer"),
    )
)
FIXES = re.compile(r"--(?:fix|show-fixes|exit-non-zero-on-fix|unsafe-fixes|write-changes|in-place)\Z|-w\Z")


@dataclass(frozen=True)
class Hook:
    """One hook: the program behind it and the whole command. `program` is empty where none is known. `tidy`: it only
    concerns white space and the like."""

    id: str
    program: str = ""
    command: str = ""
    tidy: bool = False


@dataclass(frozen=True)
class _Tool:
    """How a hook calls its tool: the words before its arguments, the files it takes, and its default arguments."""

    words: str
    files: tuple[str, ...]
    arguments: str = ""
    whole: bool = False  # `TOOL .` checks the same files


TOOLS = {
    "ruff": _Tool("ruff check --no-fix --force-exclude", PYTHON, whole=True),
    "ruff-check": _Tool("ruff check --no-fix --force-exclude", PYTHON, whole=True),
    "ruff-format": _Tool("ruff format --check --force-exclude", PYTHON, whole=True),
    "black": _Tool("black --check", PYTHON, whole=True),
    "isort": _Tool("isort --check-only --diff --filter-files", ("*.py",), whole=True),
    "flake8": _Tool("flake8", ("*.py",)),
    "mypy": _Tool("mypy", PYTHON, "--ignore-missing-imports --scripts-are-modules"),
    "pyright": _Tool("pyright", PYTHON),
    "pylint": _Tool("pylint", ("*.py",)),
    "bandit": _Tool("bandit", ("*.py",)),
    "codespell": _Tool("codespell", ()),
    "interrogate": _Tool("interrogate", ("*.py",)),
    "yamllint": _Tool("yamllint", ("*.yml", "*.yaml")),
    "shellcheck": _Tool("shellcheck", ("*.sh", "*.bash")),
    "actionlint": _Tool("actionlint", (".github/workflows/*.yml", ".github/workflows/*.yaml")),
    "zizmor": _Tool("zizmor", (".github/workflows/*.yml", ".github/workflows/*.yaml")),
    "pyproject-fmt": _Tool("pyproject-fmt --check", ("pyproject.toml", "*/pyproject.toml")),
    "validate-pyproject": _Tool("validate-pyproject", ("pyproject.toml",)),
    "eslint": _Tool("eslint", ("*.js", "*.jsx")),
    "prettier": _Tool("prettier --check --ignore-unknown", ()),
    "typos": _Tool("typos", (), whole=True),
    "vulture": _Tool("vulture", ("*.py",)),
    "pydocstyle": _Tool("pydocstyle", ("*.py",)),
}  # fmt: skip


def hooks(view: TreeView, words: list[str]) -> tuple[Hook, ...]:
    """The hooks that `pre-commit` with these arguments would run on all files. Raises WorkflowError where the
    configuration can't be read."""
    data = view.read(CONFIG)
    if data is None:
        raise WorkflowError(f"there is no {CONFIG}")
    config = read_yaml(CONFIG, data if data.lstrip().startswith(b"repos") or b"repos" in data else b"repos: []")
    ids = [word for word in words if not word.startswith("-") and word != "run"]
    every = tuple(_hooks(config))
    return tuple(hook for hook in every if hook.id in ids) or every if ids else every


def _hooks(config: SourceMapping) -> Iterator[Hook]:
    around = _text(config.get("exclude")), _text(config.get("files"))
    repos = config.get("repos")
    for repo in repos if isinstance(repos, Items) else ():
        listed = repo.get("hooks") if isinstance(repo, SourceMapping) else None
        for raw in listed if isinstance(listed, Items) else ():
            if isinstance(raw, SourceMapping) and not _manual(raw):
                yield _hook(raw, _text(repo.get("repo")) == "local", around)


def _manual(raw: SourceMapping) -> bool:
    stages = raw.get("stages")
    usual = ("pre-commit", "commit", "pre-push", "push")
    return isinstance(stages, Items) and not any(stage in usual for stage in stages)


def _hook(raw: SourceMapping, local: bool, around: tuple[str, str]) -> Hook:
    name = _text(raw.get("id"))
    if local:
        return _local(raw, name, around)
    if name in TIDY:
        return Hook(name, tidy=True)
    tool = TOOLS.get(name)
    if tool is None:
        return Hook(name)
    given = raw.get("args")
    own = [word for word in map(_text, given if isinstance(given, Items) else ()) if not FIXES.match(word)]
    words = [tool.words, *([tool.arguments] if tool.arguments and given is None else []), *map(shlex.quote, own)]
    return Hook(name, tool.words.split()[0], _over_files(" ".join(words), tool.files, raw, around, tool.whole))


def _local(raw: SourceMapping, name: str, around: tuple[str, str]) -> Hook:
    """A hook defined in the repository itself: its entry is a command."""
    given = raw.get("args")
    words = [_text(raw.get("entry")), *map(shlex.quote, map(_text, given if isinstance(given, Items) else ()))]
    program = next(iter(words[0].split()), "")
    if _text(raw.get("language")) in ("pygrep", "fail", "docker", "docker_image") or not program:
        return Hook(name)
    types = raw.get("types_or", raw.get("types"))
    python = any(_text(file_type).startswith("py") for file_type in types) if isinstance(types, Items) else False
    return Hook(name, program, _over_files(" ".join(words), PYTHON if python else (), raw, around, whole=False))


def _over_files(
    command: str, patterns: tuple[str, ...], raw: SourceMapping, around: tuple[str, str], whole: bool
) -> str:
    """The command applied to its files: those that git tracks, less what is excluded."""
    if raw.get("pass_filenames") is False:
        return command
    excluded = [text for text in (around[0], _text(raw.get("exclude"))) if text and text != "^$"]
    included = [text for text in (around[1], _text(raw.get("files"))) if text]
    if whole and not excluded and not included:
        return f"{command} ."
    listed = f"git ls-files -z -- {' '.join(map(shlex.quote, patterns))}".removesuffix(" -- ")
    kept = [f"grep -zP {shlex.quote(text)}" for text in included] + [
        f"grep -zvP {shlex.quote(text)}" for text in excluded
    ]
    return " | ".join([listed, *kept, f"xargs -0 -r {command}"])


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
