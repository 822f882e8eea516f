"""The package indexes that set-up steps may reach by default, and the further hosts that they need."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from healing.checks.check import Script
from healing.sandbox.indexes import NAME

PYTHON = ("pypi.org", "files.pythonhosted.org")
NODE = ("registry.npmjs.org",)
INDEXES = {
    **dict.fromkeys(("pip", "pip3", "uv", "poetry", "pdm", "pipenv", "hatch", "tox", "nox"), PYTHON),
    **dict.fromkeys(("npm", "npx", "pnpm", "bun"), NODE),
    "yarn": (*NODE, "registry.yarnpkg.com"),
    "cargo": ("index.crates.io", "static.crates.io"),
    "go": ("proxy.golang.org", "sum.golang.org"),
    **dict.fromkeys(("bundle", "gem"), ("rubygems.org", "index.rubygems.org")),
    "composer": ("repo.packagist.org", "api.github.com", "codeload.github.com"),
    "mvn": ("repo.maven.apache.org",),
    "gradle": ("repo.maven.apache.org", "plugins.gradle.org"),
}
# Hosts that installers of languages and build tools download from.
RELEASES = ("nodejs.org", "static.rust-lang.org", "releases.astral.sh", "services.gradle.org", "repo1.maven.org")
USUAL = tuple(dict.fromkeys([*(host for hosts in INDEXES.values() for host in hosts), *RELEASES]))
DEFAULT = "default"  # stands for all of USUAL under `network:`
TOOL = re.compile(rf"(?<![\w./-])({'|'.join(INDEXES)})(?![\w.-])")
URL = re.compile(r"https://[^\s\"'<>`|;&()]{1,500}")
OWN_PYTHON = re.compile(
    r"(?:PIP_INDEX_URL|UV_INDEX_URL|UV_DEFAULT_INDEX)|(?<!\S)(?:-i|--index-url|--default-index)(?=[\s=])"
)
MAX_CHARACTERS = 20_000  # of a script that are read


def hosts_of_entries(named: Iterable[str], own: Iterable[str] = ()) -> tuple[str, ...]:
    """The hosts that entries of `network:` stand for; `own` are the operator's."""
    hosts = (host for entry in named for host in ((*USUAL, *own) if entry == DEFAULT else (entry,)))
    return tuple(dict.fromkeys(hosts))


def requested_hosts(setup: Iterable[Script]) -> tuple[str, ...]:
    """The hosts that these steps install from, as far as their text shows."""
    wanted: dict[str, None] = {}
    for script in setup:
        text = "\n".join([script.run, *(f"{name}={value}" for name, value in script.env.items())])[:MAX_CHARACTERS]
        for tool in TOOL.findall(text):
            if INDEXES[tool] is not PYTHON or not OWN_PYTHON.search(text):
                wanted.update(dict.fromkeys(INDEXES[tool]))
        wanted.update(dict.fromkeys(filter(None, map(_host, URL.findall(text)))))
    return tuple(wanted)


def _host(url: str) -> str:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host if NAME.match(host) else ""
