"""Messages of package managers, git and apt that show that they needed the network, which checks don't have."""

import re
from typing import NamedTuple

from healing.checks.missing.values import FailureContext, MissingRequirement

WHY = "{} needs the network, and checks have none"
ONCE = "run the command once yourself; then name a command that installs nothing"
IN_CONFIG = "put this command under `setup:` in .github/heal.yml: set-up steps have the network, checks don't"


class NetworkPattern(NamedTuple):
    """A multi-line pattern in the output of a program, and what a person types to download the same."""

    program: str
    pattern: str
    advice: str = ONCE


# Each is a program's own report on a download, so what it says holds even where the base passes, and the change only
# names another package. A test may print one too: then the tests that the change broke decide.
PATTERNS = (
    NetworkPattern(
        "npm",
        r"^npm (?:ERR!|error) (?:code )?(?:ENOTCACHED|EAI_AGAIN|ENOTFOUND|ETIMEDOUT|ECONNRE(?:SET|FUSED)"
        r"|E(?:NET|HOST)UNREACH|ERR_SOCKET_TIMEOUT)\b"
        r"|^Internal Error: Error when performing the request to https?://",  # of Corepack
    ),
    NetworkPattern(
        "pnpm", r"\bERR_PNPM_(?:NO_OFFLINE_(?:META|TARBALL)|META_FETCH_FAIL|\w{0,60}NETWORK_ERROR)\b", "pnpm fetch"
    ),
    NetworkPattern(
        "yarn",
        r"^(?:error (?:Error: getaddrinfo |Couldn't find any versions for .{1,200} in our cache )"
        r"|info There appears to be trouble with your network connection"
        r"|.{0,8}YN0080: .{0,300}(?:blocked because of your configuration|network))",
    ),
    NetworkPattern(
        "pip",
        r"connection broken by '(?:NewConnection|NameResolution|ConnectTimeout)Error\([\s\S]{1,4000}"
        r"\(from versions: none\)",
    ),
    NetworkPattern(  # of pypa/build, which `python -m build` and check-manifest call
        "an isolated build",
        r"Command '\[[^\n]{1,600}'install'[^\n]{1,600}build-(?:requirements|reqs)-[^\n]{1,300}"
        r"returned non-zero exit status",
        "use what is installed: python -m build --no-isolation, check-manifest --no-build-isolation",
    ),
    NetworkPattern(
        "uv",
        r"^hint: .{0,80}because the network was disabled|Network connectivity is disabled, but"
        r"|^error: Failed to (?:fetch|download).{0,300}\n(?:[ \t]{1,4}(?:cause|Caused by): .{0,300}\n){0,6}"
        r"[ \t]{1,4}(?:cause|Caused by): (?:dns error|tcp connect error|failed to lookup address)",
    ),
    NetworkPattern("Poetry", r"^[ \t]{0,8}All attempts to connect to [\w.:-]{1,200} failed\."),
    NetworkPattern(
        "cargo",
        r"^(?:error: |[ \t]{0,4}(?:\[\d{1,3}\] )?)(?:Could(?:n't| not) resolve host(?:name)?\b.{0,200}\.crates\.io"
        r"|attempting to make an HTTP request, but --offline was specified|failed to download from `https?://)",
        "cargo fetch",
    ),
    NetworkPattern(
        "go",
        r"^(?:go: |[\w./-]{1,200}\.go:\d{1,9}:\d{1,9}: ).{0,400}\bdial tcp(?:: lookup "
        r"|.{1,60}: (?:i/o timeout|connect:))"
        r"|^go: .{1,200}@(?!v\d)[\w.-]{1,60}: module lookup disabled by GOPROXY=off",
        "go mod download",
    ),
    NetworkPattern("apt", r"^(?:[WE]: Failed to fetch .{0,400})?[ \t]{1,4}Temporary failure resolving '"),
    NetworkPattern("git", r"^[ \t]{0,8}fatal: unable to access '.{1,300}': Could(?:n't| not) resolve host"),
)


def missing_network(output: str, context: FailureContext) -> MissingRequirement | None:
    """The network, where the output of a program that downloads says that it could not be reached; None where tests
    fail that pass on the base."""
    for row in PATTERNS if not context.breaks_tests else ():
        if re.search(row.pattern, output, re.M):
            return MissingRequirement(WHY.format(row.program), row.advice, IN_CONFIG)
    return None
