"""Hints of a flaky failure; the baseline's own run decides whether it is one."""

from healing.logs.evidence.signal import Signal

_ADVICE = "Re-run the failed job; if it comes back, the test needs a look of its own."

FLAKY = (
    Signal(
        "flaky",
        "a port was taken",
        (
            r"\bEADDRINUSE\b",
            "Address already in use",
            "port is already allocated",
            "Only one usage of each socket address",
            "bind: address already in use",
        ),
        _ADVICE,
        in_errors=True,
    ),
    Signal(
        "flaky",
        "the test runner itself calls it flaky",
        (
            r"^\s{0,8}[1-9]\d{0,5} flaky\b",
            r"^\s{0,8}FLAKY \d{1,3}/\d{1,3} ",
            r"^(?:\[(?:WARNING|ERROR)\] )?Flakes: ?$",
            r"Tests run: \d{1,9}, .{0,60}Flakes: [1-9]",
            r"passed on (?:the )?(?:retry|re-?run|attempt)",
            r"\([1-9]\d{0,4} flaky\)",
            r"FLAKY, failed in [1-9]\d{0,3} out of ",
        ),
        _ADVICE,
    ),
)
