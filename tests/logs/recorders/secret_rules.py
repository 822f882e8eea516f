"""Makes healing/logs/secrets/rules.json from a maintained rule set: `kingfisher rules list`, of PyPI's kingfisher-bin.

`python -m tests.logs.recorders.secret_rules path/to/kingfisher VERSION`. The tool itself is far too big to depend on
(49 MB); its rules are text.
"""

import json
import subprocess
import sys
from pathlib import Path

import re2  # type: ignore[import-untyped]

RULES = Path("healing/logs/secrets/rules.json")
# Ours do better, since a log is no file: places, hashes, key blocks; or what they find is no secret.
OURS = (
    "curl-auth", "credential-uri", "jwt", "private-key", "client-id", "public-key", "access-key-id", "-url", "-host",
    "account-name", "account-id", "access-id", "sentry-dsn", "sumologic-access-id", "generic", "kubernetes",
)  # fmt: skip


def usable(rule: dict[str, object]) -> bool:
    """What Kingfisher itself shows as a finding, and RE2 takes."""
    if not rule["visible"] or any(part in str(rule["id"]) for part in OURS):
        return False
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(str(rule["pattern"]), options)
    except re2.error:
        return False
    return True


def main() -> None:
    """Writes the file."""
    tool, version = sys.argv[1:]
    command = [tool, "rules", "list", "--format", "json", "--no-update-check"]
    rules = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    about = (
        f"The detection rules that kingfisher-bin {version} (PyPI) distributes under Apache-2.0: those of betterleaks, "
        "the successor of gitleaks, and of OSV-SCALIBR's veles. Made by tests/logs/recorders/secret_rules.py."
    )
    rows = {str(rule["id"]): rule["pattern"] for rule in rules if usable(rule)}
    RULES.write_text(json.dumps({"about": about, "rules": rows}, indent=0) + "\n")
    print(f"{len(rows)} of {len(rules)} rules kept")


if __name__ == "__main__":
    main()
