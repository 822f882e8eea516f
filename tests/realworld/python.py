"""Python: three released packages with ruff, black, mypy and pytest."""

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

from tests.realworld import mistakes, slips
from tests.realworld.fetching import sdist
from tests.realworld.language import Language, Seen, Step
from tests.realworld.projects import Project, Upstream

JUNIT = ".junit.xml"
MYPY = re.compile(r"^(?P<file>[^\s:]+):\d+(?::\d+)?: error: .*?(?:\[(?P<code>[a-z0-9-]+)\])?$", re.M)
BLACK = re.compile(r"^(?:would reformat|error: cannot format) (?P<file>[^\s:]+)", re.M)


def _ruff(seen: Seen, output: str, root: Path) -> None:
    try:
        found = json.loads(output[output.index("[") : output.rindex("]") + 1])
    except ValueError:
        return
    for item in found:
        name = re.sub(r"^.*/bench-[^/]+/", "", item["filename"])
        seen.findings["Ruff", name, str(item["code"])] += 1


def _black(seen: Seen, output: str, root: Path) -> None:
    seen.findings.update(("Black", match["file"], "") for match in BLACK.finditer(output))


def _mypy(seen: Seen, output: str, root: Path) -> None:
    seen.findings.update(("Mypy", match["file"], match["code"] or "") for match in MYPY.finditer(output))


def _pytest(seen: Seen, output: str, root: Path) -> None:
    report = root / JUNIT
    if not report.exists():
        return
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        bad = case.find("failure") is not None or case.find("error") is not None
        (seen.failed if bad else seen.passed).add(name)
    seen.passed -= seen.failed


PYTHON = Language(
    name="Python",
    version=(sys.executable, "--version"),
    sources=re.compile(r"\.py$"),
    tests=re.compile(r"(^|/)tests?/"),
    steps={
        "Ruff": Step(_ruff, " --output-format=json", "ruff"),
        "Black": Step(_black, tool="black"),
        "Mypy": Step(_mypy, tool="mypy"),
        "Pytest": Step(_pytest, f" --junitxml={JUNIT}"),
    },
    makers={
        "unused-import": slips.unused_import,
        "unused-variable": slips.unused_variable,
        "spacing": slips.spacing,
        "quotes": slips.quotes,
        "missing-import": slips.missing_import,
        "wrong-import": slips.wrong_import,
        "misspelt-name": slips.misspelt_name,
        "misspelt-attribute": slips.misspelt_attribute,
        "renamed-symbol": slips.renamed_symbol,
        "missing-colon": slips.missing_colon,
        "missing-bracket": slips.missing_bracket,
        "type-error": mistakes.type_error,
        "comparison": mistakes.comparison,
        "arithmetic": mistakes.arithmetic,
        "lost-return": mistakes.lost_return,
        "inverted-condition": mistakes.inverted_condition,
        "swapped-arguments": mistakes.swapped_arguments,
    },
)


def _project(
    *,
    name: str,
    version: str,
    sha256: str,
    package: str,
    linted: str,
    formatted: tuple[str, ...],
    typed: str,
    tests: str,
    pythonpath: str,
    upstream: tuple[Upstream, ...],
    reformat: bool = False,
    skip: tuple[str, ...] = (),
) -> Project:
    """`sha256` is its source distribution's. `linted` and `typed` are what CI looks at (empty: CI has no such job)."""
    jobs = {"lint": {"Ruff": f"ruff check --select F {linted}", "Black": f"black --check {' '.join(formatted)}"}}
    if typed:
        jobs["types"] = {"Mypy": f"mypy {typed}"}
    jobs["tests"] = {"Pytest": tests}
    return Project(
        name=name,
        version=version,
        language=PYTHON,
        fetch=lambda: sdist(name, version, sha256),
        jobs=jobs,
        package=package,
        env={"PYTHONPATH": pythonpath},
        mend=f"black --quiet {' '.join(formatted)}" if reformat else "",
        only={
            **dict.fromkeys(("unused-import", "unused-variable"), tuple(linted.split())),
            **dict.fromkeys(("spacing", "quotes"), formatted),
        },
        without=() if typed else ("type-error",),
        upstream=upstream,
        skip=skip,
    )


SEMVER = _project(
    name="semver",
    version="3.0.2",
    sha256="6253adb39c70f6e51afed2fa7152bcd414c411286088fb4b9effb133885ab4cc",
    package="src/semver",
    linted="src",
    formatted=("src/semver",),
    reformat=True,
    typed="src/semver",
    tests="python -m pytest -q -o addopts= tests",
    pythonpath="src",
    upstream=(
        Upstream(
            "3.0.0, gh-291: disallow negative numbers for major, minor and patch",
            "src/semver/version.py",
            "            if value < 0:\n                raise ValueError(\n"
            '                    "{!r} is negative. A version can only be positive.".format(name)\n'
            "                )\n",
            "            version_parts[name] = value\n",
        ),
        Upstream(
            "3.0.2, pull request 426: replace() uses the class of the instance",
            "src/semver/version.py",
            "return type(self)(**version)",
            "return Version(**version)",
        ),
    ),
)

CACHETOOLS = _project(
    name="cachetools",
    version="5.5.0",
    sha256="2cc24fb4cbe39633fb7badd9db9ca6295d766d9c2995f245725a46715d050f2a",
    package="src/cachetools",
    linted="src",
    formatted=("src", "tests"),
    typed="",
    tests="python -m pytest -q tests",
    pythonpath="src",
    upstream=(
        Upstream(
            "3.1.1: fix pickling and unpickling of cache keys",
            "src/cachetools/keys.py",
            "    def __getstate__(self):\n        return {}\n\n\n",
            "\n",
        ),
        Upstream(
            "4.2.1: handle __missing__() not storing cache items",
            "src/cachetools/__init__.py",
            "        if key in self:  # __missing__ may not store item\n            self.__counter[key] -= 1\n",
            "        self.__counter[key] -= 1\n",
        ),
    ),
)

TOOLZ = _project(
    name="toolz",
    version="0.12.1",
    sha256="ecca342664893f177a13dac0e6b41cbd8ac25a358e5f215316d43e2100224f4d",
    package="toolz",
    linted="toolz/dicttoolz.py toolz/functoolz.py toolz/itertoolz.py toolz/recipes.py toolz/utils.py",
    formatted=("toolz/dicttoolz.py", "toolz/recipes.py", "toolz/itertoolz.py"),
    reformat=True,
    typed="",
    tests="python -m pytest -q toolz",
    pythonpath=".",
    skip=("toolz/_version.py", "toolz/_signatures.py", "toolz/compatibility.py", "toolz/__init__.py"),
    upstream=(
        Upstream(
            "issue 387: partition_all must not compare with ==",
            "toolz/itertoolz.py",
            "            lo, hi = 0, n\n            while lo < hi:\n                mid = (lo + hi) // 2\n"
            "                if prev[mid] is no_pad:\n                    hi = mid\n                else:\n"
            "                    lo = mid + 1\n            yield prev[:lo]\n",
            "            yield prev[: prev.index(no_pad)]\n",
        ),
    ),
)

PROJECTS = (SEMVER, CACHETOOLS, TOOLZ)
