"""Messages of tools that show what is missing: a version, a module cache, a service, the network."""

import re
from typing import NamedTuple

from healing.checks.missing.network import IN_CONFIG
from healing.checks.missing.values import FailureContext, MissingRequirement


class OutputPattern(NamedTuple):
    """A multi-line pattern in output and its meaning; `why` and `advice` may use its groups `a` and `b`."""

    pattern: str
    why: str
    advice: str
    # The change itself may be the cause: counts only after a run on the base, which has to fail as well.
    may_be_code: bool = False
    in_config: str = ""


PATTERNS = (
    OutputPattern(
        r"^(?:go: .{0,200}?)?(?:go\.mod )?requires go >= (?P<a>[\d.]+) \(running go (?P<b>[\d.]+)",
        "go.mod asks for Go {a}, and this is Go {b}",
        "install Go {a} or newer, and put it first on your PATH",
    ),
    OutputPattern(
        r"invalid go version '(?P<a>[\d.]+)'",
        "go.mod asks for Go {a}, which this Go is too old to read",
        "install Go {a} or newer, and put it first on your PATH",
    ),
    OutputPattern(
        r"package (?P<a>[\w/.-]{1,80}) is not in (?:GOROOT|std)\b",
        "this Go has no package {a}: it may be too old",
        "install the Go that go.mod names, and put it first on your PATH",
        may_be_code=True,
    ),
    OutputPattern(
        r"(?P<a>[\w./-]{1,120})@v[\w.+-]{1,80}: (?:module lookup disabled|mkdir .{1,200}: read-only|.{0,80}dial tcp)",
        "the module {a} is not in your module cache",
        "go mod download",
    ),
    OutputPattern(
        r"^\S{1,300}\.go:\d+:\d+: module lookup disabled by GOPROXY=off",
        "a module that go.mod names is not in your module cache",
        "go mod download",
    ),
    OutputPattern(
        r"no matching package named `(?P<a>[\w-]{1,80})` found|failed to download `(?P<b>[\w-]{1,80} v[\w.+-]{1,40})`",
        "the crate {a}{b} is not in your registry cache",
        "cargo fetch",
    ),
    OutputPattern(
        r"error: toolchain '(?P<a>[^'\n]{1,80})' is not installed",
        "the Rust toolchain {a} is not installed",
        "rustup toolchain install {a}",
    ),
    OutputPattern(
        r"`?cargo-?(?P<a>[a-z]{2,20})`? is not installed for the toolchain"
        r"|no such (?:sub)?command: `(?P<b>[a-z-]{2,30})`",
        "the cargo component {a}{b} is not installed",
        "rustup component add {a}{b}",
    ),
    OutputPattern(
        r"EBADENGINE|Unsupported engine|ERR_PNPM_UNSUPPORTED_ENGINE|The engine \"node\" is incompatible",
        "this version of Node is not one that package.json allows",
        "use the version that package.json (engines) or .nvmrc names",
        may_be_code=True,
    ),
    OutputPattern(
        r"^  Cause: Required version `(?P<a>[^`\n]{1,60})` does not match the running version `(?P<b>[^`\n]{1,60})`",
        "the settings ask for ruff {a}, and this is {b}",
        "pip install 'ruff{a}'",
        may_be_code=True,
    ),
    OutputPattern(
        r"^Oh no! .{0,12}The required version `(?P<a>[^`\n]{1,60})` does not match the running version"
        r" `(?P<b>[^`\n]{1,60})`",
        "the settings ask for black {a}, and this is {b}",
        "pip install 'black=={a}.*'",  # `22` stands for every 22.x
        may_be_code=True,
    ),
    OutputPattern(
        r"requires a different Python: (?P<a>[\d.]+) not in '(?P<b>[^'\n]{1,60})'",
        "the project wants Python {b}, and this is {a}",
        "recreate the virtual environment with such a Python",
    ),
    OutputPattern(
        r"Executable doesn't exist at .{0,200}(?:chrom|firefox|webkit)",
        "the browser that the tests drive is not installed",
        "npx playwright install",
    ),
    OutputPattern(
        r"(?:ECONNREFUSED|[Cc]onnection refused)[\s\S]{0,120}\b(?P<a>5432|6379|27017|3306)\b"
        r"|\bport (?P<b>5432|6379|27017|3306)\b.{0,80}(?:refused|failed)",
        "nothing listens on port {a}{b}: a service is missing",
        "name the service under `services:` of a workflow and run `heal check`: it is started then",
    ),
    OutputPattern(
        r"Temporary failure (?:in name resolution|resolving)|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)"
        r"|Could(?:n't| not) resolve host",
        "the command wants the network, and checks have none",
        "name a command that runs without the network, as `pytest -m 'not network'`",
    ),
    OutputPattern(
        r"^(?P<a>[\w.-]{1,60}): install_\w{1,30}> [^\n]{1,2000}\n(?:[^\n]{0,1000}\n){0,20}?[^\n]{0,300}"
        r"\(from versions: none\)",
        "tox wants to install what {a} needs, and checks have no network",
        "tox -e {a} --notest",
    ),
    OutputPattern(
        r"^nox > Creating virtual environment [^\n]{0,200}\bin (?P<a>\S{1,200})\n(?:[^\n]{0,1000}\n){0,20}?[^\n]{0,300}"
        r"\(from versions: none\)",
        "nox wants to install packages in {a} again, and checks have no network",
        "run it once yourself, and name it with -R, as `nox -R -s SESSION`: nox then uses what it installed before",
    ),
    OutputPattern(
        r"Could not find a version that satisfies the requirement (?P<a>[\w.-]{1,80}).{0,200}\(from versions: none\)",
        "the command installs {a}, and checks have no network",
        "pip install {a}; and name a command that installs nothing",
        in_config=IN_CONFIG,
    ),
    OutputPattern(
        r"(?:\[Errno 30\] |EROFS: )[Rr]ead-only file system[^'\"]{0,60}['\"](?P<a>/[^'\"\n]{1,300})['\"]",
        "the command makes {a}, where checks can't write",
        "run it once yourself, so that what it makes is there",
    ),
    OutputPattern(
        r"(?P<a>lib[\w.+-]{1,60}\.so[\d.]{0,10}): cannot open shared object file",
        "the library {a} is not there",
        "install the system package that holds {a}",
    ),
    OutputPattern(
        r"Please tell me who you are\.|unable to auto-detect email address|empty ident name",
        "git has no name and address there",
        "git config --global user.name NAME && git config --global user.email ADDRESS",
    ),
    OutputPattern(
        r"Inappropriate ioctl for device|(?:[Ii]nput device|stdin|stdout|standard input) is not a (?:TTY|tty|terminal)",
        "the command wants a terminal, and checks have none, as in CI",
        "name a command that runs without a terminal",
    ),
    OutputPattern(
        r"(?P<a>\S{1,300}/bin/python[\d.]{0,5}): (?:bad interpreter: )?No such file or directory",
        "{a} leads to a Python that is no longer there",
        "recreate the virtual environment: python3 -m venv --clear .venv, and install what it had",
    ),
    OutputPattern(  # uv; tox and virtualenv
        r"No interpreter found for (?P<a>\S.{0,60}?)(?= in (?:managed|virtual|search|system|the)|$)"
        r"|(?:InterpreterNotFound|failed to find interpreter for)\b.{0,80}?\b(?P<b>(?:pypy|python)?[23]\.\d[\w.]{0,8})",
        "{a}{b} is not installed here",
        "install it, or name a command for the Python that you have",
    ),
    OutputPattern(
        r"fatal error: (?P<a>Python\.h): No such file", "Python's C headers are missing", "apt-get install python3-dev"
    ),
)


def missing_by_output(output: str, context: FailureContext) -> MissingRequirement | None:
    """What the first matching pattern says; None where the command, or a test that fails now, passes on the base."""
    if context.passes_on_base or context.breaks_tests:
        return None
    for row in PATTERNS:
        skipped = row.may_be_code and context.passes_on_base is None
        if not skipped and (match := re.search(row.pattern, output, re.M)):
            groups = {"a": "", "b": ""} | {name: value or "" for name, value in match.groupdict().items()}
            return MissingRequirement(row.why.format(**groups), row.advice.format(**groups), row.in_config)
    return None
