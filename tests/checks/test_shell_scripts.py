"""The commands of a script that a check calls: they count by themselves where it ends at the first that fails."""

import pytest

from healing.checks.check import command_check
from healing.checks.separating import separate
from healing.checks.shell_scripts import script_commands

LINT = "#!/bin/sh -e\n# checks\nruff check .\n\nruff format --check \\\n  .\n"


# CK-2
@pytest.mark.parametrize(
    ("call", "script", "commands"),
    [
        ("scripts/lint.sh", LINT, ["ruff check .", "ruff format --check    ."]),
        (
            "./scripts/lint.sh",
            "#!/usr/bin/env bash\nset -euo pipefail\nmypy .\nruff check .\n",
            ["mypy .", "ruff check ."],
        ),
        ("bash -e scripts/lint.sh", "#!/bin/bash\nmypy .\nruff check .\n", ["mypy .", "ruff check ."]),
        ("sh scripts/lint.sh", '#!/bin/sh\nset -ex\ncd "$(dirname "$0")/.."\nmypy .\n', ["mypy ."]),
        ("bash scripts/lint.sh", '#!/bin/bash\nset -e\ncd "$(dirname "${BASH_SOURCE[0]}")/.."\nmypy .\n', ["mypy ."]),
        ("scripts/lint.sh", "#!/bin/bash\nset -o errexit -o nounset\nmypy .\nisort .\n", ["mypy .", "isort ."]),
        ("scripts/lint.sh", "#!/bin/sh\nset -e\nmypy .\nset +e\nisort .\n", []),
        ("scripts/lint.sh", "#!/bin/sh\nset -e\nSRC='a b'\nmypy $SRC\nisort $SRC\n", []),
        ("scripts/lint.sh", "#!/bin/sh\nmypy .\n", ["mypy ."]),
        ("scripts/lint.sh", "#!/bin/sh\nmypy .\nruff check .\n", []),
        ("scripts/lint.sh", "#!/usr/bin/python\nimport os\n", []),
        ("scripts/lint.sh src", LINT, []),
        ("bash -c scripts/lint.sh", LINT, []),
        ("scripts/other.sh", LINT, []),
    ],
)
def test_a_script_that_ends_at_the_first_failure_is_its_commands(call: str, script: str, commands: list[str]) -> None:
    files = {"scripts/lint.sh": script.encode()}
    assert script_commands(call.split(), ".", files.get).splitlines() == commands


# CK-2
@pytest.mark.parametrize(
    "script",
    ["#!/bin/sh\nset -e\ncd sub\nmypy .\nruff check .\n", "#!/bin/sh\nset -e\nfor f in *; do\nmypy $f\ndone\n"],
)
def test_a_script_that_is_more_than_a_list_stays_one_check(script: str) -> None:
    check = command_check("scripts/lint.sh", typed=True)
    assert separate(check, {"scripts/lint.sh": script.encode()}.get) == (check,)
