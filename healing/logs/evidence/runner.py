"""Failures that the runner or the machine reports about itself; they count whatever other errors the log has."""

from healing.logs.evidence.signal import Signal

RUNNER = (
    Signal(
        "infrastructure",
        "the runner was lost",
        (
            "lost communication with the server",
            "runner has received a shutdown signal",
            "hosted runner.{0,80} (?:encountered an error|lost communication)",
            "runner .{0,80}did not (?:connect|respond)",
            "was not acquired by Runner",
            "No runner matching the specified labels",
            "job was not started because .{0,80}(?:runner|internal error)",
            "An internal error occurred\\b.{0,80}\\bjob",
            "We couldn't respond to your request in time",
            "GitHub Actions has encountered an internal error",
            "spot instance .{0,60}(?:interrupt|terminat)",
        ),
    ),
    Signal(
        "infrastructure",
        "the job was cancelled or ran out of time",
        (
            "exceeded the maximum execution time",
            "has timed out after \\d{1,5} minutes",
            "exceeded the maximum time limit for jobs",
            "^(?:Error: )?The operation was cancell?ed\\.?$",
            "The run was cancell?ed by ",
            "Canceling since a higher priority waiting request",
        ),
        "Re-run the failed job; if it runs out of time again, something in it hangs.",
    ),
    Signal(
        "configuration",
        "the account has no minutes left for Actions",
        ("recent account payments have failed", "spending limit needs to be increased", "billing .{0,40}is locked"),
        "Look at the account's billing and spending limit for Actions.",
        retryable=False,
    ),
)
RESOURCES = (
    Signal(
        "infrastructure",
        "the disk is full",
        ("No space left on device", r"\bENOSPC\b", "There is not enough space on the disk", "Disk quota exceeded"),
        "Free space on the runner or take a bigger one; then re-run the failed job.",
        in_errors=True,
    ),
    Signal(
        "infrastructure",
        "the memory ran out",
        (
            r"\bENOMEM\b",
            "Cannot allocate memory",
            "JavaScript heap out of memory",
            "OOMKilled",
            "Out of memory: Kill",
            "oom-kill",
            "java\\.lang\\.OutOfMemoryError",
            "There is insufficient memory for the Java Runtime Environment",
            "c\\+\\+: fatal error: Killed signal terminated program",
            "clang: error: unable to execute command: Killed",
            "collect2: fatal error: ld terminated with signal 9",
            "signal: 9, SIGKILL: kill",
            "signal: killed$",
            "Gradle build daemon disappeared unexpectedly",
            "fatal error: runtime: out of memory",
            "memory allocation of \\d{1,20} bytes failed",
            r"^(?:.{0,80}: line \d{1,6}: +\d{1,9} )?Killed\b(?! by|:)",
        ),
        "Use less memory (fewer workers, smaller parts) or a bigger runner.",
    ),
)
