"""Known actions: their effect on later steps, which of them stand for a command, and what they lack here."""

from dataclasses import dataclass, field

from healing.checks.expressions import Value, text
from healing.checks.providing import by_pip, install_command_of

# Uploads, caches and notices: they produce nothing that a later step needs.
IDLE = {
    "actions/cache", "actions/cache/save", "actions/cache/restore", "actions/upload-artifact", "actions/labeler",
    "swatinem/rust-cache", "codecov/codecov-action", "coverallsapp/github-action", "step-security/harden-runner",
    "actions/stale", "mozilla-actions/sccache-action", "gradle/wrapper-validation-action",
    "gradle/actions/wrapper-validation", "hynek/build-and-inspect-python-package", "re-actors/alls-green",
    "actions/upload-pages-artifact", "dorny/test-reporter", "mikepenz/action-junit-report", "dorny/paths-filter",
    "pypa/gh-action-pypi-publish", "peaceiris/actions-gh-pages", "softprops/action-gh-release",
    "hendrikmuhs/ccache-action", "deepsourcelabs/test-coverage-action",
    "styfle/cancel-workflow-action", "easimon/maximize-build-space", "jlumbroso/free-disk-space",
    "actions/attest-build-provenance", "github/codeql-action/upload-sarif",
}  # fmt: skip

# Toolchains: action → (language, the input that names its version).
RUNTIMES = {
    "actions/setup-python": ("Python", "python-version"),
    "astral-sh/setup-uv": ("Python", "python-version"),
    "pdm-project/setup-pdm": ("Python", "python-version"),
    "actions/setup-node": ("Node.js", "node-version"),
    "pnpm/action-setup": ("pnpm", "version"),
    "oven-sh/setup-bun": ("Bun", "bun-version"),
    "denoland/setup-deno": ("Deno", "deno-version"),
    "actions/setup-go": ("Go", "go-version"),
    "actions/setup-java": ("Java", "java-version"),
    "gradle/actions/setup-gradle": ("Gradle", "gradle-version"),
    "gradle/gradle-build-action": ("Gradle", "gradle-version"),
    "actions/setup-dotnet": (".NET", "dotnet-version"),
    "dtolnay/rust-toolchain": ("Rust", "toolchain"),
    "actions-rs/toolchain": ("Rust", "toolchain"),
    "actions-rust-lang/setup-rust-toolchain": ("Rust", "toolchain"),
    "moonrepo/setup-rust": ("Rust", "channel"),
    "hecrj/setup-rust-action": ("Rust", "rust-version"),
    "ruby/setup-ruby": ("Ruby", "ruby-version"),
    "shivammathur/setup-php": ("PHP", "php-version"),
    "snok/install-poetry": ("Poetry", "version"),
    "abatilo/actions-poetry": ("Poetry", "poetry-version"),
    "pypa/hatch": ("Hatch", "version"),
    "wntrblm/nox": ("Nox", "version"),
    "extractions/setup-just": ("just", "just-version"),
    "taiki-e/install-action": ("tool", "tool"),
}


OF_PIP = ("pre-commit", "ruff", "black", "isort", "pyright", "codespell", "typos", "shellcheck", "actionlint")


@dataclass(frozen=True)
class Effect:
    """The effect of an action. `known` is False for an unknown action; `missing` is what later steps lack, `fatal`
    where they can't run without it; `command` is what the action runs; `outputs` are its known outputs for later
    expressions; `unpacks` is the folder that receives an earlier job's artifact."""

    known: bool = True
    command: str = ""
    cwd: str = "."
    language: str = ""
    version: str = ""
    missing: tuple[str, ...] = ()
    fatal: bool = False
    brings: str = ""  # the command that installs the tool that the action sets up
    outputs: dict[str, Value] = field(default_factory=dict)
    unpacks: str = ""


def effect(uses: str, given: dict[str, Value]) -> Effect:
    """The effect of `uses: owner/name@ref` with the inputs `given`."""
    name, _, ref = uses.partition("@")
    name = name.lower()
    if name == "actions/checkout":
        return _checkout(given)
    if name.startswith("actions/cache") and name in IDLE:
        # nothing is restored here, as with an empty cache
        return Effect(outputs={"cache-hit": "", "cache-matched-key": ""})
    if name in IDLE:
        return Effect()
    if name == "actions/download-artifact":
        which = text(given.get("name")) or "artifacts"
        folder = text(given.get("path")).removeprefix("./").rstrip("/")
        return Effect(missing=(f"the files of an earlier job ({which}) are not there",), unpacks=folder)
    texts = {key: text(value) for key, value in given.items()}
    brings = install_command_of(name, texts, ref)
    if name in RUNTIMES or brings:
        language, key = RUNTIMES.get(name, ("", ""))
        version = text(given.get(key)) or (ref if name == "dtolnay/rust-toolchain" else "")
        return Effect(language=language, version=version, brings=brings, outputs={"cache-hit": ""})
    command = _command(name, texts)
    if command:
        program = command.split()[0]
        brings = by_pip(program, texts.get("version", "")) if program in OF_PIP else ""
        return Effect(command=command, brings=brings, cwd=texts.get("working-directory") or ".")
    return Effect(known=False)


def _checkout(given: dict[str, Value]) -> Effect:
    repository, path = text(given.get("repository")), text(given.get("path"))
    if repository:
        where = f" in {path}" if path else ""
        return Effect(missing=(f"another repository ({repository}) is not checked out{where}",), fatal=not path)
    missing: list[str] = []
    if path not in ("", ".", "./"):
        missing.append(f"the repository is checked out in {path}, and here at the top")
    if text(given.get("ref")):
        missing.append(f"it checks out {text(given['ref'])} in place of the commit that CI was started for")
    fatal = bool(missing)
    if text(given.get("submodules")).lower() in ("true", "recursive"):
        missing.append("submodules are not fetched")
    if text(given.get("lfs")).lower() == "true":
        missing.append("large files (LFS) are not fetched")
    return Effect(missing=tuple(missing), fatal=fatal)


def _command(name: str, given: dict[str, str]) -> str:
    """The command that an action stands for; empty for any other action."""
    if name == "pre-commit/action":
        extra = given.get("extra_args") or "--all-files"
        return f"pre-commit run --show-diff-on-failure --color=always {extra}"
    if name in ("astral-sh/ruff-action", "chartboost/ruff-action"):
        return f"ruff {given.get('args') or 'check'} {given.get('src') or '.'}"
    if name == "psf/black":
        return f"black {given.get('options') or '--check --diff'} {given.get('src') or '.'}"
    if name == "golangci/golangci-lint-action":
        return f"golangci-lint run {given.get('args', '')}".strip()
    if name == "jakebailey/pyright-action":
        return f"pyright {given.get('extra-args', '')}".strip()
    if name == "codespell-project/actions-codespell":
        return f"codespell {given.get('path', '')}".strip()
    if name == "crate-ci/typos":
        return f"typos {given.get('files', '')}".strip()
    if name == "isort/isort-action":
        return f"isort {given.get('configuration') or '--check-only --diff'} {given.get('sort-paths') or '.'}"
    return ""
