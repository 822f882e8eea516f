"""Red with a version of a language that CI does not run the check with may come from that alone."""

import re

from healing.checks.check import Check, command_check
from healing.checks.lacks import REPRODUCE
from healing.checks.running import Checker
from healing.checks.versions import ASKING, fits, parts
from healing.model import NotLooked

MOST = 4  # versions that are listed
VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}")


async def another_version(check: Check, tree: str, checker: Checker) -> NotLooked | None:
    """Why a red result may come from a version that CI does not run the check with; None where the environment has one
    of CI's, or that can't be determined."""
    for language in dict.fromkeys(language for language, _ in check.runtimes):
        wanted = [version.strip() for one, version in check.runtimes if one == language]
        if not all(map(parts, wanted)):
            continue
        answered = await checker.run(command_check(ASKING[language]), tree)
        has = VERSION.search(answered.output) if answered.green else None
        if has and not any(fits(version, has[0]) for version in wanted):
            listed = f"{wanted[0]} … {wanted[-1]}" if len(wanted) > MOST else ", ".join(wanted)
            why = (
                f"{REPRODUCE}: CI runs it with {language} {listed}, your environment has {has[0]}, and it is red there"
            )
            advice = f"use {language} {max(wanted, key=parts)}, or name what you run yourself: heal check --run CMD"
            return NotLooked(what=check.title, why=why, advice=advice)
    return None
