"""The check run's lines about re-running CI, and about flaky tests."""

from collections.abc import Iterable

from handlers.comments.clean import code, sentence
from handlers.model import CiRunNow
from healing.logs.flakes import FlakyTest

MAX_TESTS = 10
NOT_GRANTED = (
    "**A re-run may help:** re-run the failed jobs in CI.\n\n<sub>Heal can show a button for it here once your Heal "
    "admin gives Heal's GitHub App the permission *Actions: write* and an owner of the account or organization accepts "
    "it.</sub>"
)
# Why CI is not re-run: half sentences.
IN_PROGRESS = "the CI run is still in progress"
DELETED = "GitHub no longer has the CI run"
BY_ITSELF = "**Heal re-ran the failed jobs** once, because `rerun_flaky` in `.github/heal.yml` asks for it."
_ENDED = {"success": "passed", "failure": "failed again", None: "is in progress"}


def ran_again(now: CiRunNow) -> str:
    """CI's run has a later attempt than the one that Heal read."""
    how = _ENDED.get(now.conclusion, f"ended as {code(now.conclusion or '', 40)}")
    return f"**Re-run:** attempt {now.attempt} of the failed jobs {how}."


def waits(why: str) -> str:
    """It should be re-run automatically, and GitHub doesn't allow it yet."""
    it = "it" if why == IN_PROGRESS else "the CI run"
    return f"**Not re-run yet:** {sentence(why, 400)} Heal will try again once {it} finishes."


def refused_by_github(words: str) -> str:
    """Why not, in GitHub's words: half a sentence."""
    return f"GitHub refused ({code(words)})"


def refused(why: str) -> str:
    """The button was pressed, but there is nothing to re-run."""
    advice = "Press *Re-run failed* again later, or re-run the failed jobs in CI."
    return f"**Not re-run:** {sentence(why, 400)} *What you can do:* {advice}"


def flaky_tests(found: Iterable[FlakyTest]) -> str:
    """How often the tests that were flaky here failed by chance before; nothing about those that are new to it."""
    lines = [
        f"- {code(one.test, 200)}: failed on {one.red} commits, and passed on {one.lucky} of them when run again."
        for one in found
        if one.red > 1
    ]
    return "\n".join(["**Flaky before:**", "", *lines[:MAX_TESTS]]) if lines else ""
