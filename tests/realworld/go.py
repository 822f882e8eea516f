"""Go: a package of Debian's with gofmt, go vet and its own tests."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from tests.realworld.fetching import installed
from tests.realworld.language import Language, Seen, Step
from tests.realworld.projects import Project
from tests.realworld.texts import Grammar, slips_of

SOURCES = Path("/usr/share/gocode/src")
FINDING = re.compile(r"^(?:vet: )?(?:\./)?(?P<file>[\w./-]+\.go):\d+:\d+: ", re.M)
DIFF = re.compile(r"^diff (?:-u )?(?P<file>[\w./-]+?)(?:\.orig)? ", re.M)


def _gofmt(seen: Seen, output: str, root: Path) -> None:
    seen.findings.update(("Gofmt", match["file"], "") for match in DIFF.finditer(output))


def _vet(seen: Seen, output: str, root: Path) -> None:
    seen.findings.update(("Vet", match["file"], "") for match in FINDING.finditer(output))


def _test(seen: Seen, output: str, root: Path) -> None:
    """Subtests count as tests; what does not compile has none."""
    for event in _events(output):
        if event.get("Test") and event["Action"] in ("pass", "fail"):
            (seen.failed if event["Action"] == "fail" else seen.passed).add(f"{event['Package']}::{event['Test']}")


def _events(output: str) -> Iterator[dict[str, str]]:
    for line in output.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


GO = Language(
    name="Go",
    sources=re.compile(r"\.go$"),
    tests=re.compile(r"_test\.go$"),
    steps={"Gofmt": Step(_gofmt, tool="gofmt"), "Vet": Step(_vet), "Test": Step(_test, " -json")},
    makers=slips_of(
        Grammar(
            functions=r"^func (?:\(\w+ [^)\n]+\) )?(?P<name>\w+)\([^\n]*\{$",
            unused="\tleftover := 1",
            imports=r"^\t\x00+\n",
            spare='\t"os/signal"\n',
            conditions=r"\bif (?P<it>[^\n;]+) \{$",
            strings=r"\"(?:\\.|[^\"\\\n])*\"|`[^`]*`|'(?:\\.[^'\n]*|[^'\\\n])'",
        )
    ),
    version=("go", "version"),
)


def _package(path: str, version: str, debian: str, module: bytes) -> Project:
    """CI's caches begin empty in each job, as on a fresh runner; nothing is downloaded."""
    return Project(
        name=f"go-{path.rsplit('/', 1)[-1]}",
        version=version,
        language=GO,
        fetch=lambda: {**installed(SOURCES / path, debian), "go.mod": module},
        jobs={
            "lint": {"Gofmt": 'test -z "$(gofmt -l .)" || { gofmt -d .; exit 1; }', "Vet": "go vet ./..."},
            "tests": {"Test": "go test ./..."},
        },
        env={"GOFLAGS": "-mod=mod", "GOPROXY": "off"},
        mend="gofmt -w .",
    )


UUID = _package(
    "github.com/google/uuid", "1.3.0", "golang-github-google-uuid-dev", b"module github.com/google/uuid\n\ngo 1.19\n"
)
PROJECTS = (UUID,)
