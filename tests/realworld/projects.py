"""What a project of the suite is: which release, what CI it gets here, and which real bug-fix is taken back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.realworld.language import Language

WORKFLOW = ".github/workflows/ci.yml"
Files = dict[str, bytes]


@dataclass(frozen=True)
class Upstream:
    """A bug-fix that the project once made, undone: `old` (today's text, exactly once in `file`) becomes `new`."""

    which: str
    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Project:
    """One project. `fetch` gives its files as released, or raises NotHereError. `jobs` are CI's commands by job and
    step; each job begins with `setup`, where there is one. `package` is the folder that gets broken (empty: all).
    `mend` puts it into its tools' form first, in the base commit, where the release isn't. `only` says for a slip
    which paths (beginnings) it may be made in, `without` which slips CI would not see."""

    name: str
    version: str
    language: Language
    fetch: Callable[[], Files]
    jobs: Mapping[str, Mapping[str, str]]
    package: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    setup: Callable[[], str] | None = None
    mend: str = ""
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    upstream: tuple[Upstream, ...] = ()
    skip: tuple[str, ...] = ()  # files of the package that stay whole

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"

    def commands(self) -> dict[str, str]:
        """CI's commands by step name, as its workflow and the suite's own judge run them."""
        return {step: command for steps in self.jobs.values() for step, command in steps.items()}

    def may_change(self, path: str) -> bool:
        """Whether a fix may be made in this file: it is the package's code, and no test."""
        inside = not self.package or path.startswith(f"{self.package}/")
        return inside and bool(self.language.sources.search(path)) and not self.language.tests.search(path)

    def workflow(self) -> bytes:
        """The workflow file of the base commit."""
        lines = ["name: CI", "on:", "  pull_request:", "  push:", "    branches: [main]"]
        if self.env:
            lines += ["env:", *(f"  {name}: {value}" for name, value in self.env.items())]
        lines.append("jobs:")
        first = {"Install": self.setup()} if self.setup else {}
        for job, steps in self.jobs.items():
            lines += [f"  {job}:", "    runs-on: self-hosted", "    steps:", "      - uses: actions/checkout@v4"]
            for step, command in {**first, **steps}.items():
                lines += [f"      - name: {step}", "        run: |", f"          {command}"]
        return ("\n".join(lines) + "\n").encode()
