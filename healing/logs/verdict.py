"""How a log says that its job ended: what a green job prints of errors on the way made nothing fail.

The CI system's own last word counts for the whole log. The summary of a test runner counts for what stands before it,
unless something else in the log ended badly.
"""

import re
from dataclasses import dataclass

HINTS = (
    "exited with", "xit code", "xit status", "Finished: ", "Job succeeded", "Job failed", "BUILD SUCCESS", "BUILD FAIL",
    " passed", " failed", "Failures: ", "failures", "\nOK", "test result: ", " passing", " failing", "*** [", " FAILED",
    "Passed!", "FAILED ", "FAIL:", "--- FAIL", "\nFAIL", "marked build as",
)  # fmt: skip
_GREEN = re.compile(
    r"(?:Done\. Your build exited with 0|Finished: SUCCESS|Job succeeded|\[taskcluster[^\]]{0,60}\] Successful task run"
    r"|(?:##\[section\])?Finishing: Build succeeded)\b"
)
_PASSED = re.compile(
    r"(?:\[INFO\] )?BUILD SUCCESS(?:FUL)?\b|=+ (?:[\w, ]{0,80}, )?[1-9]\d{0,6} passed\b[\w, ]{0,80} in [\d.]+s.{0,30}$"
    r"|OK(?: \(.{0,80}\))?$|test result: ok\.|Tests:\s{1,8}(?:\d{1,6} \w{4,8}, )*[1-9]\d{0,6} passed, \d{1,6} total$"
    r"|\s{0,8}[1-9]\d{0,6} passing\b|(?:\[\w{4,7}\] )?Tests run: [1-9]\d{0,6}, Failures: 0, Errors: 0\b"
    r"|Passed!\s{1,4}- Failed:\s{1,8}0,"
)
_FAILED = re.compile(
    r"exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]|Finished: (?:FAILURE|UNSTABLE|ABORTED)|Job failed|BUILD FAIL"
    r"|\*\*\* \[|(?<![\w.])[1-9]\d{0,6} (?:tests? )?(?:failed|failures?|failing|errors?)\b|(?:Failures|Errors): [1-9]"
    r"|test result: FAILED|\bFAILED\b|^FAIL(?:URE)?\b|--- FAIL|marked build as (?:failure|unstable)"
)


@dataclass
class Verdict:
    """Follows the lines that speak of an end: the last of each kind by its number."""

    green: int = 0
    passed: int = 0
    failed: int = 0

    def read(self, number: int, text: str) -> None:
        """Notes what the line says."""
        text = text[:400]
        if _GREEN.match(text):
            self.green = number
        elif _FAILED.search(text):
            self.failed = number
        elif _PASSED.match(text):
            self.passed = number

    def job_is_green(self) -> bool:
        """Whether the CI system said so, and nothing that came after it failed."""
        return self.green > self.failed

    def harmless(self, number: int) -> bool:
        """Whether line `number` stands before the summary of a run in a log where nothing failed."""
        return not self.failed and number < self.passed
