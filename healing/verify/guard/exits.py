"""Rule: the exit code reports what happened: no early success in code, nor in the scripts that CI runs."""

import re
from collections.abc import Iterator

from healing.verify.guard.patch import File, GuardFinding, WholeChange
from healing.verify.guard.paths import CODE
from healing.verify.guard.reading.marks import MarkKind
from healing.verify.guard.reading.text import any_of, language_of, plain

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
    r"^\t-[ \t]{0,4}\w|^\.(?:SILENT|IGNORE)\b",  # make continues after a failing command that begins with `-`
    r"--exit-zero\b|--warn-only\b|--no-verify\b|--no-error-on|--no-fail-on|--max-warnings|--allow-empty\b",
    r"pass-?[wW]ith-?[nN]o-?[tT]ests|--testPathIgnorePatterns|--suppress-tests\b",
    r"(?:-k|-m)[ \t]{0,4}\\?['\"]?not\b|--deselect\b|--ignore(?:-glob)?[= ]|--exclude[= ]|\s--?skip[= ]",
    r"--reruns\b|--retries[= ]",
    flags=re.MULTILINE,
)

ENDED = re.compile(r"\b(?:[eE]xit|quit|SystemExit|abort)\b")
# How code ends its process, or hooks into its end, in languages that are not parsed here. A method of an object, or
# its definition, may have such a name too.
ENDS = re.compile(
    r"\b(?:System|Process|Environment|Kernel)\.(?:[eE]xit|abort)\b|\bgetRuntime\(\)\.(?:halt|exit)\b"
    r"|\b(?:_exit|exitProcess|addShutdownHook|atexit|on_exit|at_exit|register_shutdown_function)\b[ \t]{0,4}[({&]"
    r"|^[ \t]{0,99}(?:(?:return|else|then)[ \t]{1,4})?(?:exit!?|abort|die|halt)[ \t]{0,4}"
    r"(?:[;(\d\"']|(?:if|unless)\b|$)"
    r"|(?:\b(?:or|and|then)|&&|\|\||[?:{;])[ \t]{0,4}(?:exit!?|abort|die)[ \t]{0,4}[;(\"']",
    re.MULTILINE,
)
# Code that prints something and then exits, such as `--help`: flagged for a person to judge.
POLITE = re.compile(
    r"\b(?:print\w{0,12}!?|echo|puts|usage|console\.log|Usage|PrintDefaults|print_help|Print(?:ln|f)?)\b[^\n]{0,300}\n"
    r"[ \t]{1,99}(?:raise |return )?(?:[\w:]{1,30}[.:]{1,2})?(?:[eE]xit|quit|SystemExit)\b"
)

POLITE_WELL = re.compile(
    POLITE.pattern + r"(?:\([ \t]{0,4}(?:0|os\.EX_OK|ExitCode::SUCCESS)?[ \t]{0,4}\)|[ \t]{1,4}0\b|(?![\w.( ]))"
)

# Endings of files that hold only commands.
COMMANDS = ("file", ".sh", ".bash", ".mk", ".ps1", ".cmd", ".bat")
RUNS = any_of(
    r"\b(?:pytest|unittest|tox|nox|ruff|mypy|pyright|flake8|pylint|jest|vitest|mocha|eslint|tsc|biome|golangci-lint)\b",
    r"\b(?:go|cargo|npm|yarn|pnpm|bun|deno|make|mvn|gradle) {1,4}(?:run {1,4})?(?:test|vet|check|lint|clippy)\b",
)


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each file that exits with success more often, whatever happened."""
    for file, details in patch.gained(MarkKind.EXIT):
        why = f"swallows failures: it exits as if all were well ({', '.join(details)[:120]})"
        more = _exits(file, ENDED)
        polite = _exits(file, POLITE) >= more > 0 or (more == 0 and _exits(file, POLITE_WELL) >= len(details))
        yield GuardFinding(RULE, file.path, why, polite)
    for file in patch.files:
        unparsed = language_of(file.path) is None and CODE.search(file.path) and not SCRIPT.search(file.path)
        if unparsed and _exits(file, ENDS) > 0:
            yield GuardFinding(RULE, file.path, "ends the process, or changes how it ends", flag=True)
        if SCRIPT.search(file.path) and language_of(file.path) is None:
            fewer = len(RUNS.findall(_commands(file.old))) - len(RUNS.findall(_commands(file.new)))
            if fewer > 0 and file.path.endswith(COMMANDS):
                yield GuardFinding(RULE, file.path, "no longer runs a check that it ran before")
            more = len(_swallowed(file.new)) - len(_swallowed(file.old))
            if more > 0:
                shown = (set(_swallowed(file.new)) - set(_swallowed(file.old))) or set(_swallowed(file.new))
                yield GuardFinding(
                    RULE, file.path, f"swallows an exit code or leaves tests out ({', '.join(sorted(shown))[:80]})"
                )


def _exits(file: File, words: re.Pattern[str]) -> int:
    """How many more matches there are than before."""
    old, new = (len(words.findall(plain(data or b""))) for data in (file.old, file.new))
    return new - old


def _swallowed(data: bytes | None) -> list[str]:
    return [match.group().strip() for match in SWALLOWED.finditer(_commands(data))]


def _commands(data: bytes | None) -> str:
    """A script without its comments."""
    lines = plain(data or b"").split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith(("#", "//")))
