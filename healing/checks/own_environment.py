"""Checks in an environment that is already there, a person's own: what would install it is not run.

Set-up that makes files of the repository's (code generation, builds) is run as CI does, for checks read those.
"""

import re
from collections.abc import Iterable

from healing.checks.check import Check, Script
from healing.checks.recognising import INSTALLS, PLAIN, installs

NOTE = "set-up steps that install are not run: your environment is used"
# A list of commands can lose one of them; where there is control flow between them it can't.
FLOW = re.compile(r"^\s*(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|function|[{}()]|\w+\s*\(\))|<<", re.M)


def in_own_environment(check: Check) -> Check:
    """The check without the set-up that installs something."""
    kept = (without_installs(script) for script in check.setup)
    return check.model_copy(update={"setup": tuple(script for script in kept if script is not None)})


def any_installs(checks: Iterable[Check]) -> bool:
    """Whether any of these checks has set-up that installs something."""
    return any(installs(script) for check in checks for script in check.setup)


def without_installs(script: Script) -> Script | None:
    """The script without its commands that install something. None: nothing is left, or they can't be taken out of
    what stands around them."""
    if not installs(script):
        return script
    if script.shell not in ("", "bash", "sh") or FLOW.search(script.run):
        return None
    lines = script.run.replace("\\\n", " ").splitlines()
    kept = [" && ".join(part for part in line.split(" && ") if not _is_install(part)) for line in lines]
    rest = script.model_copy(update={"run": "\n".join(kept)})
    empty = all(not line.strip() or line.lstrip().startswith("#") for line in kept)
    return None if empty or installs(rest) else rest


def _is_install(command: str) -> bool:
    return bool(INSTALLS.search(command[:500]) and PLAIN.match(command))
