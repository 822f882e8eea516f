"""What is never shown to a sandboxed command, wherever it lies in a person's home."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

# Folders below a home with keys and logins. Nothing in them is shown, nor is a folder that contains one of them.
FOLDERS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".oci", ".password-store", ".mozilla"),
    *(".thunderbird", ".config/gh", ".config/gcloud", ".config/git", ".config/op", ".config/hub"),
    *(".config/containers", ".config/rclone", ".config/pypoetry", ".config/pip", ".config/uv"),
    *(".config/configstore", ".config/google-chrome", ".config/chromium", ".local/share/keyrings"),
    *(".local/share/uv/credentials", ".local/share/containers", ".cache/huggingface"),
)
# Folders with all kinds of content: the parts that tools need are listed separately.
BROAD = (".local", ".local/share", ".local/state", ".cache", ".config", ".cargo", "go", "Documents", "Desktop")
# Names of files with logins, in any folder that is shown.
FILES = frozenset(
    (".npmrc", ".pypirc", ".netrc", ".git-credentials", "credentials", "credentials.toml", ".credentials.toml")
) | {".yarnrc.yml", ".condarc", "auth.toml", "settings-security.xml", ".env", ".envrc"}
ENV_FILE = re.compile(r"\.env(?:\.(?!example$|sample$|template$|dist$)[\w.-]{1,60})?\Z")

# Variables that tools need; any other stays outside.
NAMES = frozenset(
    (
        *("LANG", "LANGUAGE", "TZ", "CI", "EDITABLE_ROOT", "MYPYPATH", "DJANGO_SETTINGS_MODULE", "FLASK_APP"),
        *("VIRTUAL_ENV", "GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOOS", "GOARCH"),
        *("GOARM", "GOAMD64", "GOWORK", "GO111MODULE", "GOEXPERIMENT", "GOTOOLCHAIN", "GODEBUG", "GOTMPDIR"),
        *("CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_INCREMENTAL", "RUSTFLAGS", "RUSTDOCFLAGS"),
        *("RUSTC_WRAPPER", "RUST_BACKTRACE", "JAVA_HOME", "JAVA_OPTS", "MAVEN_OPTS", "GRADLE_OPTS"),
        *("GRADLE_USER_HOME", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LDLIBS"),
        *("PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"),
        *("CMAKE_PREFIX_PATH", "NODE_ENV", "NODE_OPTIONS", "NODE_PATH", "NODE_ICU_DATA", "GEM_HOME"),
        *("GEM_PATH", "BUNDLE_PATH", "BUNDLE_GEMFILE", "NVM_DIR", "NVM_BIN", "NVM_INC", "FNM_DIR"),
        *("FNM_MULTISHELL_PATH", "VOLTA_HOME", "ASDF_DIR", "ASDF_DATA_DIR", "PNPM_HOME", "COREPACK_HOME"),
        *("BUN_INSTALL", "DENO_DIR", "WORKON_HOME", "PIPX_HOME", "PIPX_BIN_DIR", "XDG_CACHE_HOME"),
        *(
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
            "XDG_STATE_HOME",
            "SOURCE_DATE_EPOCH",
            "COLUMNS",
            "ROOT",
            "PRE_COMMIT_HOME",
        ),
        "MAKEFLAGS",
        # tox runs pip again where one of these differs from when an environment was created.
        *("PIP_CONSTRAINT", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_PRE"),
        *("PIP_REQUIRE_HASHES", "PIP_TRUSTED_HOST"),
    )
)
PREFIXES = (
    *("LC_", "PYTHON", "PYTEST_", "COVERAGE_", "HYPOTHESIS_", "PYENV_", "CONDA_", "UV_", "POETRY_"),
    *("PDM_", "HATCH_", "TOX_", "NOX_", "RUSTUP_", "CARGO_BUILD_", "CARGO_PROFILE_", "CGO_", "MISE_"),
    *("RBENV_", "SETUPTOOLS_SCM_", "JEST_", "VITEST_", "npm_config_cache", "npm_config_prefix", "MYPY_"),
    *("RUFF_", "BLACK_", "VIRTUALENV_"),
)


def allowed(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that a command may have: those that tools need, except any with a login."""
    candidates = {n: v for n, v in environ.items() if n in NAMES or n.startswith(PREFIXES)}
    return {name: value for name, value in candidates.items() if not _secret(name, value)}


def _secret(name: str, value: str) -> bool:
    if re.search(r"TOKEN|PASSWORD|PASSWD|SECRET|CREDENTIAL|API_KEY|HTTP_BASIC", name, re.I):
        return True
    if all(os.path.isabs(part) and os.path.exists(part) for part in value.split(os.pathsep)):
        return False  # most values are paths, and the rules for secrets are slow to load
    from healing.logs.redaction import redact

    line = f"{name}={value}"
    return redact(line) != line or any("@" in urlsplit(word).netloc for word in value.split() if "://" in word)


def is_secret_file(name: str) -> bool:
    """Whether a file of this name contains logins or keys."""
    return name in FILES or bool(ENV_FILE.match(name))


def may_show(path: Path, home: Path) -> bool:
    """Whether a folder may be shown as a whole: it is neither the home nor a parent of it, and contains no keys."""
    if home.is_relative_to(path) or path in {home / folder for folder in BROAD}:
        return False
    secret_folders = [home / folder for folder in FOLDERS]
    return not any(
        path.is_relative_to(secret) or (secret.is_relative_to(path) and secret.exists()) for secret in secret_folders
    )


def secrets_in(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Files with logins at the top of these folders or in their `etc`, where package managers keep their settings."""
    secrets = []
    for folder in folders:
        for place in (folder, folder / "etc"):
            try:
                secrets += [entry for entry in place.iterdir() if is_secret_file(entry.name) or entry.name == "npmrc"]
            except OSError:
                continue
    return tuple(sorted(secrets))
