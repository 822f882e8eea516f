"""The projects of the suite: which release, what CI it gets here, and which real bug-fix is taken back."""

from dataclasses import dataclass

WORKFLOW = ".github/workflows/ci.yml"


@dataclass(frozen=True)
class Upstream:
    """A bug-fix that the project once made, undone: `old` (today's text, exactly once in `file`) becomes `new`."""

    which: str
    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Project:
    """One project. `sha256` is its source distribution's. `package` is the folder that gets broken; `formatted` is put
    into black's form first, in the base commit, where the release isn't (`reformat`); `linted` and `typed` are what CI
    looks at (empty: CI has no such job)."""

    name: str
    version: str
    sha256: str
    package: str
    linted: str
    formatted: tuple[str, ...]
    typed: str
    tests: str
    pythonpath: str
    upstream: tuple[Upstream, ...]
    reformat: bool = False
    skip: tuple[str, ...] = ()  # files of the package that stay whole

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"

    def commands(self) -> dict[str, str]:
        """CI's commands by step name, as its workflow and the suite's own judge run them."""
        found = {"Ruff": f"ruff check --select F {self.linted}", "Black": f"black --check {' '.join(self.formatted)}"}
        if self.typed:
            found["Mypy"] = f"mypy {self.typed}"
        return found | {"Pytest": self.tests}

    def workflow(self) -> bytes:
        """The workflow file of the base commit."""
        jobs = {"lint": ("Ruff", "Black"), "types": ("Mypy",) if self.typed else (), "tests": ("Pytest",)}
        commands = self.commands()
        lines = ["name: CI", "on:", "  pull_request:", "  push:", "    branches: [main]"]
        lines += ["env:", f"  PYTHONPATH: {self.pythonpath}", "jobs:"]
        for job, steps in jobs.items():
            if steps:
                lines += [f"  {job}:", "    runs-on: ubuntu-latest", "    steps:", "      - uses: actions/checkout@v4"]
            for step in steps:
                lines += [f"      - name: {step}", f"        run: {commands[step]}"]
        return ("\n".join(lines) + "\n").encode()


SEMVER = Project(
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

CACHETOOLS = Project(
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

TOOLZ = Project(
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
