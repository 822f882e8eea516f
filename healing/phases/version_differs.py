"""Red with a version of a language that CI does not run the check with, or one older than the repository allows: it may
come from that alone."""

import re

from healing.checks.check import Check, CheckResult
from healing.checks.lacks import REPRODUCE, WHERE_HEAL_RUNS
from healing.checks.running import Checker
from healing.checks.versions import ASKING, fits, floors, older, parts
from healing.model import NotLooked

MOST = 4  # versions that are listed
VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}")


async def another_version(check: Check, result: CheckResult, checker: Checker) -> NotLooked | None:
    """Why a red result may come from a version that CI does not run the check with, or that is too old for the
    repository; None where the environment has a right one, or that can't be determined."""
    here = "your environment" if checker.toolchain.personal else "the environment that was made here"
    for language in dict.fromkeys(language for language, _ in check.runtimes):
        wanted = [version.strip() for one, version in check.runtimes if one == language]
        if not all(map(parts, wanted)):
            continue
        has = await _version(language, check, result.tree, checker)
        if has and not any(fits(version, has) for version in wanted):
            listed = f"{wanted[0]} … {wanted[-1]}" if len(wanted) > MOST else ", ".join(wanted)
            why = f"{REPRODUCE}: CI runs it with {language} {listed}, {here} has {has}, and it is red there"
            advice = f"use {language} {max(wanted, key=parts)}, or name what you run yourself: heal check --run CMD"
            return NotLooked(what=check.title, why=why, advice=_advised(advice, language, checker))
    files = [error.file for error in result.errors if error.file]
    for floor in floors(checker.git.view(result.tree), files):
        has = await _version(floor.language, check, result.tree, checker)
        if has and older(has, floor.version):
            asks = f"{floor.file} asks for {floor.language} {floor.version} or newer"
            why = f"{REPRODUCE}: {asks}, {here} has {has}, and it is red there"
            advice = f"use {floor.language} {floor.version} or newer"
            return NotLooked(what=check.title, why=why, advice=_advised(advice, floor.language, checker))
    return None


async def _version(language: str, check: Check, tree: str, checker: Checker) -> str:
    """Which version of a language this check is run with; empty where that can't be determined."""
    asking = check.step.model_copy(update={"name": "version", "run": ASKING[language], "env": {}, "shell": "bash"})
    answered = await checker.run(check.model_copy(update={"step": asking, "by_heal": False}), tree)
    found = VERSION.search(answered.output) if answered.green else None
    return found[0] if found else ""


def _advised(advice: str, language: str, checker: Checker) -> str:
    """On Heal's own machine the workflow names the version, or whoever runs Heal installs it."""
    if checker.toolchain.personal:
        return advice
    return f"Name the version of {language} in the workflow, where its set-up action can bring it: {WHERE_HEAL_RUNS}"
