"""Rule: CI files, lock files, secrets, vendored and generated files are not where a failing check is repaired."""

import re
from collections.abc import Mapping

from healing.model import CIError

FORBIDDEN = re.compile(
    r"(^|/)(\.github|\.circleci|\.gitlab|node_modules|vendor|third_party|\.git)(/|$)"
    r"|(^|/)(\.gitlab-ci\.yml|azure-pipelines\.yml|Jenkinsfile|\.travis\.yml|tox\.ini|noxfile\.py|conftest\.py|"
    r"pytest\.ini|setup\.cfg|mypy\.ini|ruff\.toml|\.ruff\.toml|\.flake8|\.pre-commit-config\.yaml|pyproject\.toml)$"
    r"|(^|/)(uv|poetry|pdm|Cargo|Gemfile|composer)\.lock$|(^|/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml|go\.sum)$"
    r"|(^|/)(\.env[^/]*|[^/]*\.(pem|key|p12|pfx)|id_rsa[^/]*|\.npmrc|\.pypirc|\.netrc)$"
    r"|_pb2\.pyi?$|\.min\.js$"
)


def refusals(changes: Mapping[str, tuple[bytes | None, bytes | None]], errors: tuple[CIError, ...]) -> list[str]:
    """One sentence for each file that may not be changed, unless CI named that very file in an error."""
    named = {error.file for error in errors if error.category != "test"}
    return [
        f"{path} decides what CI checks (or holds secrets, or is generated); a fix may not touch it"
        for path in sorted(changes)
        if FORBIDDEN.search(path) and (path not in named or path.startswith(".github/"))
    ]
