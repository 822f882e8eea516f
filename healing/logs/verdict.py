"""How a job ended according to its log: errors that a green job prints on the way failed nothing.

The CI system's own final message counts for the whole log. The summary of a test runner counts for the lines before it,
unless something else in the log failed.
"""

import re
from dataclasses import dataclass, field

from healing.logs.wording import COMMAND, EXPECTED_EXIT

HINTS = (
    "exited with", "xit code", "xit status", "Finished: ", "Job succeeded", "Job failed", "BUILD SUCCESS", "BUILD FAIL",
    "Build success",
    " passed", " failed", "Failures: ", " failure", "\nOK", "test result: ", " passing", " failing", "*** [", " FAILED",
    "All tests", "ll checks passed", "# FAIL: ", "\nFail: ", "\nPASSES ",
    "# fail ", "- Failed: 0", "as expected, ",
    "SUCCEEDED", " SUCCESS", "Result: PASS", "completed successfully",
    "Test Successful", "\nok  \t", "etrying", "rying again", "ttempt ", "Switched to", "specs passed",
    "Passed!", "Successful.", " compiled ", "OK, but", "0 errors", "PASSED  ]", "+ exit 0",
    "uild succeeded", "eturn code: ", "\nStatus: ",
    "fail:0", "failed=0", "unreachable=",
    "(ignored)", "ignore outcome", "gnoring", "alling back", "ontinuing", "tests failed", "tests passed",
    "No errors detected", "congratulations :)",
    " 0 fail", " 0 Fail", "FAILED ", "FAIL:", "\nnot ok ", "--- FAIL", "\nFAIL", "marked build as",
)  # fmt: skip
_GREEN = re.compile(
    r"(?:Done\. Your build exited with 0|Finished: SUCCESS|Job succeeded"
    r"|(?:\[taskcluster[^\]]{0,60}\] )?Successful task run"
    r"|(?:##\[section\])?Finishing: Build succeeded|CircleCI received exit code 0|Build success$)\b"
)
_PASSED = re.compile(
    r"(?:\[INFO\] )?BUILD SUCCESS(?:FUL)?\b|=+ (?:[\w, ]{0,80}, )?[1-9]\d{0,6} passed\b[\w, ]{0,80} in [\d.]+s.{0,80}$"
    r"|\*{3} No errors detected$|\s{0,8}congratulations :\)|OK(?: \(.{0,80}\))?$"
    r"|test result: ok\.|Tests:\s{1,8}(?:\d{1,6} \w{4,8}, )*[1-9]\d{0,6} passed, \d{1,6} total$"
    r"|\s{0,8}[1-9]\d{0,6} passing\b|(?:\[\w{4,7}\] )?Tests run: [1-9]\d{0,6}, Failures: 0, Errors: 0\b"
    r"|Passed!\s{1,4}- Failed:\s{1,8}0,|Test Run Successful\."
    r"|\s{0,8}(?:Test Files|Tests)\s{1,8}[1-9]\d{0,6} passed(?: \| \d{1,6} (?:skipped|todo)){0,2} \(\d{1,6}\)"
    r"|(?:\[\w{1,10}\] )?\W{0,8}[Aa]ll (?:\d{1,7} )?(?:\w{1,20} ){0,2}(?:tests|specs|checks) (?:passed|successful)\b"
    r"|\*\* TEST SUCCEEDED \*\*|Result: PASS$|OK, but |\[\s{1,4}PASSED\s{1,4}\] [1-9]\d{0,6} tests?\."
    r"|(?:.{0,120}: )?Executed (?P<run>[1-9]\d{0,6}) of (?P=run) SUCCESS|TOTAL: [1-9]\d{0,6} SUCCESS$"
    r"|(?:INFO: )?Build completed successfully|Test Successful in |ok  \t\S"
    r"|[1-9]\d{0,6} (?:tests?|runs|examples?|specs?|features?)\b, (?:[\w ]{1,20}, )?0 failures\b"
    r"|# (?:FAIL:|fail) {1,8}0$|Fail: {1,20}0 {0,8}$|\s{0,4}- Failed: 0$"
    r"|PASSES [1-9]\d{0,6} out of \d{1,6} tests?(?: \([\w ]{1,40}\))?$"
    r"|Ran [1-9]\d{0,6} tests?, \d{1,7} results? as expected, 0 unexpected\b"
    r"|0 failures, 0 errors\.?$|webpack [\d.]{1,12} compiled (?:successfully|with \d{1,6} warnings?) in |\++ exit 0$"
    r"|=={1,4}\d{1,8}={2,4} ERROR SUMMARY: 0 errors from|\s{1,12}Testing \S{1,80} tests passed"
    # A program that exited with 0, and any summary with some tests and no failed one.
    r"|.{0,80}\b(?i:exit(?:ed)?|return)(?: with)?(?: code| status)?:? 0\W{0,3}$|(?:\W{0,8}[Bb]uild succeeded\b)"
    r"|\s{0,8}(?:[1-9]\d{0,6} tests|1 test|Test) passed\.$"
    r"|\s{0,8}[1-9]\d{0,6} passed \([\d.]{1,8}\w{1,3}\)$"
    r"|(?=.{0,80}(?<![\w.])[1-9]\d{0,6}\b)(?!.{0,300}\b(?i:fail\w{0,4}|errors?)\W{1,3}[1-9])"
    r".{0,120}(?:(?<![\w.])0 (?:tests? )?(?i:failed|failures|failing)\b|\b(?i:fail|failed|failures)(?:=|:\s{0,8})0\b)"
    r"|\s{0,8}Summary \[.{1,20}\] [1-9]\d{0,6} tests? run: \d{1,6} passed\b(?!.{0,80}\bfailed)"
)
_FAILED = re.compile(
    r"exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]\d{0,9}(?![\d,])|Finished: (?:FAILURE|UNSTABLE|ABORTED)"
    r"|Job failed|BUILD FAIL"
    r"|\*\*\* \[|(?<![\w.:])(?<!port )[1-9]\d{0,6} (?:tests? )?(?:failed|failures?|failing|errors?)\b(?![:=])"
    r"|(?:Failures|Errors): [1-9]|^Status: [1-9]\d{0,6} ERROR"
    r"|marked build as (?:failure|unstable)|\bunreachable=(?:[1-9]|0\s{1,8}failed=[1-9])"
)
# One test or target that failed; it may have passed on a retry.
_ONE_FAILED = re.compile(r"\bFAILED\b|^not ok(?!\S)(?!.{0,300}# (?i:todo|skip))|^FAIL(?:URE)?\b|--- FAIL")
# The final message of a whole run, however many parts it has.
_WHOLE = re.compile(
    r"\s{0,8}congratulations :\)"
    r"|(?:\[INFO\] )?BUILD SUCCESS(?:FUL)?\b|(?:INFO: )?Build completed successfully|\*\* TEST SUCCEEDED \*\*"
    r"|\W{0,8}[Aa]ll (?:\d{1,7} )?(?:tests|specs|checks) (?:passed|successful)\b"
    r"|\S{1,200}\s{1,60}: ok=[1-9].{1,60} unreachable=0\s{1,8}failed=0\b"  # Ansible's recap: `fatal:` was ignored
    r"|\s{0,8}Summary \[.{1,20}\] [1-9]\d{0,6} tests? run: \d{1,6} passed\b(?!.{0,80}\bfailed)"
)
# A retry: the failed attempt just before it failed nothing in the end. Advice to retry is none.
_AGAIN = re.compile(
    r"(?!.{0,300}(?i:giv(?:e|ing) up|exhausted|\b(\d{1,3})(?:/| of )\1\b))"
    r"(?i:.{0,120}\b(?<!consider )(?<!wish to )(?<!please )(?<!, or )"
    r"(?:retry(?:ing)?|retried|trying again|(?<!after )attempt \d|failed, (?:waiting|sleeping)))"
    r"|Switched to (?:a new )?branch "
)
# The tool that ran a command ignores its failure.
_IGNORED = re.compile(
    r"(?:\S{0,200}/)?g?make(?:\[\d{1,3}\])?: \[.{1,300}\] Error \d{1,3} \(ignored\)$"
    r"|[\w.-]{1,80}: command failed but is marked ignore outcome"
)
# A script's own words for it. They may also be about something else, so they count only where nothing failed.
_WENT_ON = re.compile(
    r"(?i:(?!(?:fatal|error)\b).{0,200}(?:[,;:(-] ?ignoring\b|\bignoring(?: it| this)?\W{0,3}$|\bfalling back to\b"
    r"|\bcontinuing (?:anyway|without)\b))"
)
_NEAR = 3  # lines between a failed attempt and the retry
_TRIES = 1_000


@dataclass
class EndingVerdict:
    """Reads the lines that report an end; stores the number of the last line of each kind."""

    green: int = 0
    whole_job: int = 0  # the last line of the whole log of a job that passed (`whole_job.py`)
    passed: int = 0
    whole: int = 0
    failed: int = 0
    one_failed: int = 0
    again: list[int] = field(default_factory=list)
    ignored: list[int] = field(default_factory=list)
    went_on: list[int] = field(default_factory=list)
    _failed_before: int = 0  # the last failure but one

    def read(self, number: int, text: str) -> None:
        """Stores the line's number if it reports an end or a retry."""
        text = text[:400]
        for pattern, numbers in ((_AGAIN, self.again), (_IGNORED, self.ignored), (_WENT_ON, self.went_on)):
            if len(numbers) < _TRIES and pattern.match(text):
                numbers.append(number)
        if self.ignored and self.ignored[-1] == number:
            if 0 < number - self.failed <= _NEAR:
                self.failed = self._failed_before
        elif COMMAND.match(text) or EXPECTED_EXIT.match(text):
            return
        elif _GREEN.match(text):
            self.green = number
        elif self.again and self.again[-1] == number:
            return  # an attempt that failed, not the end
        elif _FAILED.search(text) and not text.startswith("test result: "):  # a target's of several
            self._failed_before, self.failed = self.failed, number
        elif _ONE_FAILED.search(text):
            self.one_failed = number
        elif _PASSED.match(text):
            self.passed = number
            self.whole = number if _WHOLE.match(text) else self.whole

    def job_is_green(self) -> bool:
        """Whether the CI system reported success, and nothing after that failed."""
        return max(self.green, self.whole_job) > max(self.failed, self.one_failed)

    def harmless(self, number: int) -> bool:
        """Whether line `number` is before the summary of a successful run in a log where nothing failed.

        Such lines are traces in passing tests, tests that passed on a retry, and output of servers meanwhile.
        """
        return not self.failed and number < (self.whole if self.one_failed else self.passed)

    def something_failed(self) -> bool:
        """Whether any failure was reported, whatever came after it."""
        return bool(self.failed or self.one_failed)

    def ended_badly(self) -> bool:
        """Whether the last reported end is a failure."""
        return max(self.failed, self.one_failed) > max(self.green, self.whole_job, self.passed)

    def was_retried(self, number: int) -> bool:
        """Whether the failure in line `number` was retried right after it."""
        return _follows(self.again, number)

    def was_ignored(self, number: int) -> bool:
        """Whether the failure in line `number` was ignored by what ran the command, or the script went on without it
        and nothing failed."""
        return _follows(self.ignored, number) or (not self.something_failed() and _follows(self.went_on, number))


def _follows(numbers: list[int], number: int) -> bool:
    return any(0 <= later - number <= _NEAR for later in numbers)
