"""Lets tox install the project's package again where there is no network.

By default tox builds a source distribution, and pip builds that in an isolated environment, for which it downloads the
build backend each time (tox.wiki, "Packaging"; pip, "Build isolation"). A wheel built in `.pkg`, where tox itself keeps
that backend, has the same content and needs no download.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from healing.environment.elsewhere import text_of

FILES = ("tox.ini", "setup.cfg", "pyproject.toml", "tox.toml")
OTHER_KIND = re.compile(
    r"^[ \t]*package[ \t]*=[ \t]*[\"']?(?:wheel|sdist-wheel|editable(?:-legacy)?|external|deps-only|skip)\b",
    re.MULTILINE,
)
BASES = ("testenv", "env_run_base")  # in an ini file, and in a TOML file
SETTINGS = {"package": "wheel", "wheel_build_env": ".pkg"}


def tox_overrides(root: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """The variable by which tox builds a wheel for the clone at `root`. Empty where tox never packaged it, where its
    settings ask for a package other than a source distribution, or where the shell sets the variable already."""
    packaged = (root / ".tox" / ".pkg" / "pyvenv.cfg").is_file()
    if "TOX_OVERRIDE" in variables or not packaged or any(OTHER_KIND.search(text_of(root / name)) for name in FILES):
        return {}
    return {"TOX_OVERRIDE": ";".join(f"{base}.{key}={value}" for base in BASES for key, value in SETTINGS.items())}
