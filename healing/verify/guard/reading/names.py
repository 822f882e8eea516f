"""Names that all languages' rules share: CI environments, clocks, and modules that reach out of a process."""

import re

# Variables that only a CI or a test runner sets.
CI_VARIABLES = re.compile(
    r"(?:PYTEST_[A-Z_]{1,40}|CI|GITHUB_[A-Z_]{1,40}|GITLAB_CI|TRAVIS|CIRCLECI|BUILDKITE|JENKINS_URL|TF_BUILD|"
    r"CONTINUOUS_INTEGRATION|APPVEYOR|TOX_ENV_NAME|NOX_[A-Z_]{1,20}|JEST_WORKER_ID|VITEST(?:_[A-Z_]{1,20})?|NODE_TEST_CONTEXT|"
    r"NEXTEST(?:_[A-Z_]{1,20})?|COVERAGE_[A-Z_]{1,20}|TESTING|UNIT_TEST\w{0,10}|RUNNING_TESTS)\Z"
)
RUNNERS = {"pytest", "_pytest", "unittest", "nose", "py.test", "tox", "coverage"}
CLOCKS = {"time", "random", "datetime", "os", "sys", "builtins", "locale", "uuid", "secrets"}
FRAMEWORKS = {"pytest", "unittest", "_pytest", "pluggy", "TestCase", "doctest"}
NETWORK = {
    "requests",
    "httpx",
    "aiohttp",
    "urllib",
    "urllib3",
    "socket",
    "subprocess",
    "ftplib",
    "smtplib",
    "telnetlib",
    "paramiko",
    "pexpect",
    "ctypes",
    "pty",
    "multiprocessing",
    "pickle",
    "marshal",
}
