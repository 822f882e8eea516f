"""Plugins of pytest that a command's options need."""

import re

from healing.checks.missing.values import NOT_INSTALLED, FailureContext, MissingRequirement

# An option belongs to a plugin where it is one of these words, begins with one and a hyphen, or with a short one.
PLUGINS = {
    "--cov": "pytest-cov", "--no-cov": "pytest-cov", "--numprocesses": "pytest-xdist", "-n": "pytest-xdist",
    "--dist": "pytest-xdist", "--maxprocesses": "pytest-xdist", "--timeout": "pytest-timeout",
    "--reruns": "pytest-rerunfailures", "--benchmark": "pytest-benchmark", "--asyncio": "pytest-asyncio",
    "--html": "pytest-html", "--self-contained-html": "pytest-html", "--randomly": "pytest-randomly",
    "--random-order": "pytest-random-order", "--ds": "pytest-django", "--reuse-db": "pytest-django",
    "--create-db": "pytest-django", "--nomigrations": "pytest-django", "--no-migrations": "pytest-django",
    "--mypy": "pytest-mypy", "--ruff": "pytest-ruff", "--black": "pytest-black", "--flake8": "pytest-flake8",
    "--isort": "pytest-isort", "--pylint": "pytest-pylint", "--codspeed": "pytest-codspeed",
    "--forked": "pytest-forked", "--mpl": "pytest-mpl", "--snapshot": "syrupy", "--count": "pytest-repeat",
    "--disable-socket": "pytest-socket", "--allow-hosts": "pytest-socket", "--doctest-plus": "pytest-doctestplus",
    "--remote-data": "pytest-remotedata", "--hypothesis": "hypothesis", "--testmon": "pytest-testmon",
    "--json-report": "pytest-json-report", "--picked": "pytest-picked",
}  # fmt: skip
UNKNOWN = re.compile(r"error: unrecognized arguments: (?P<words>[^\n]{1,2000})\n[ \t]{1,8}inifile: ")


def missing_pytest_plugin(output: str, context: FailureContext) -> MissingRequirement | None:
    """The plugin whose options this pytest doesn't know. Where set-up installed what the tree asks for, the change
    itself may have left it out; then the command has to fail on the base as well."""
    if context.passes_on_base or (context.built and context.passes_on_base is None):
        return None
    unknown = UNKNOWN.search(output)
    for option in unknown["words"].split() if unknown else ():
        name = option.partition("=")[0]
        for word, plugin in PLUGINS.items():
            if name == word or name.startswith(word if len(word) == len("-n") else f"{word}-"):
                return MissingRequirement(f"{plugin} {NOT_INSTALLED}", f"pip install {plugin}")
    return None
