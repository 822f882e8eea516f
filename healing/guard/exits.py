"""Rule: the exit code says what happened: no early success in code, and none in the scripts that CI runs."""

import re
from collections.abc import Iterator

from healing.guard.patch import Finding, Patch
from healing.guard.reading.marks import Kind
from healing.guard.reading.text import any_of, language_of, plain

RULE = "exits"
SCRIPT = any_of(
    r"\.(?:sh|bash|mk|ya?ml|toml|json|ini|cfg|ps1|cmd|bat)$",
    r"(^|/)(?:Makefile|GNUmakefile|Dockerfile[^/]*|[Jj]ustfile|Rakefile|Taskfile[^/]*|Procfile)$",
    r"(^|/)(?:\.husky/[^/]+|scripts/[^/.]+|bin/[^/.]+)$",
)
SWALLOWED = any_of(
    r"\|\|[ \t]{0,4}(?:true|:|exit 0|echo\b)|;[ \t]{0,4}(?:true|exit 0)\b|\bexit 0\b",
    r"\bset \+e\b|\bset \+o (?:pipefail|errexit)|\|[ \t]{0,4}(?:cat|tee)\b(?!.{0,80}pipefail)",
    r"continue-on-error:[ \t]{0,4}['\"]?true|allow_failure:[ \t]{0,4}true|ignore[_-]?errors?[:=][ \t]{0,4}[Tt]rue",
    r"^\t-[ \t]{0,4}\w|^\.(?:SILENT|IGNORE)\b",  # make goes on after a command that begins with `-`
    r"--exit-zero\b|--warn-only\b|--no-verify\b|--no-error-on|--no-fail-on|--max-warnings|--allow-empty\b",
    r"pass-?[wW]ith-?[nN]o-?[tT]ests|--testPathIgnorePatterns|--suppress-tests\b",
    r"(?:-k|-m)[ \t]{0,4}\\?['\"]?not\b|--deselect\b|--ignore(?:-glob)?[= ]|--exclude[= ]|\s--?skip[= ]",
    r"--reruns\b|--retries[= ]",
    flags=re.MULTILINE,
)


def findings(patch: Patch) -> Iterator[Finding]:
    """One finding for each file that ends well more often, whatever happened."""
    yield from patch.complain(RULE, Kind.EXIT, "swallows failures: it exits as if all were well ({})")
    for file in patch.files:
        if SCRIPT.search(file.path) and language_of(file.path) is None:
            more = len(_swallowed(file.new)) - len(_swallowed(file.old))
            if more > 0:
                shown = (set(_swallowed(file.new)) - set(_swallowed(file.old))) or set(_swallowed(file.new))
                yield Finding(
                    RULE, file.path, f"swallows an exit code or leaves tests out ({', '.join(sorted(shown))[:80]})"
                )


def _swallowed(data: bytes | None) -> list[str]:
    lines = (line for line in plain(data or b"").split("\n") if not line.lstrip().startswith(("#", "//")))
    return [match.group().strip() for match in SWALLOWED.finditer("\n".join(lines))]
