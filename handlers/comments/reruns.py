"""The check run's lines about running CI again, and about tests that fail by luck (IN-6)."""

from collections.abc import Iterable

from handlers.comments.clean import code, sentence
from handlers.comments.parts import plural
from handlers.ports import CiRunNow
from healing.logs.flakes import Luck

MOST_TESTS = 10
NOT_GRANTED = (
    "**Running it again may help.** Heal shows a button for that once the App may: its owner sets *Actions* to *Read "
    "and write* among the App's permissions, and the installation accepts it."
)
BY_ITSELF = "**Run again by itself,** once, as `rerun_flaky` in `.github/heal.yml` wants it. What comes of it follows."
_ENDED = {"success": "it passed", "failure": "it failed again", None: "it has not ended yet"}


def ran_again(now: CiRunNow) -> str:
    """CI's run has a later attempt than the one that was looked at, whoever asked for it."""
    how = _ENDED.get(now.conclusion, f"it ended as {code(now.conclusion or '', 40)}")
    return f"**Run again:** what failed here has been run again (attempt {now.attempt}), and {how}."


def waits(why: str) -> str:
    """It should be run again by itself, and GitHub doesn't let it yet."""
    return f"**Not run again by itself:** {sentence(why, 300)} It is tried again when CI's run has ended."


def refused(why: str) -> str:
    """The button was pressed in vain."""
    return (
        f"**Not run again:** {sentence(why, 300)} *What you can do:* Press the button again later, or look at the run."
    )


def luck(found: Iterable[Luck]) -> str:
    """How often the tests that were flaky here failed by luck before; nothing about those that are new to it."""
    lines = [
        f"- {code(one.test, 200)} failed by luck on {one.lucky} of the {plural(one.red, 'commit')} on which Heal saw "
        f"it fail (95 % sure: {one.low:.0%} to {one.high:.0%} of its failures are luck)."
        for one in found
        if one.red > 1
    ]
    return "\n".join(["**Flaky before:**", "", *lines[:MOST_TESTS]]) if lines else ""
