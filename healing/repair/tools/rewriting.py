"""A failing command that can write what it demands: a tool's check with its option to write, and a command that
rewrites files by itself, as pre-commit's hooks do, or a generator before `git diff --exit-code`."""

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from healing.checks.check import Check, CheckResult
from healing.checks.narrowing.words import called, simple
from healing.checks.npm_scripts import Read
from healing.checks.separating import SHELLS, commands_of
from healing.checks.unreadable import UNREAD
from healing.repair.tools.call import Call

# The tool, with its subcommand if it has several; the words that make it a check, of which one must be there; and those
# that make it write, in their place. `*`: it is a check without any word.
MODES = """
add-trailing-comma | *                                   |
alejandra          | --check -c                          |
autoflake          | --check -c --check-diff -cd         | --in-place
autopep8           | --diff -d --exit-code               | --in-place
blue               | --check --diff                      |
buildifier         | -mode=check --mode=check -lint=warn | -mode=fix
cljfmt             | check                               | fix
clang-format       | --dry-run -n -Werror --Werror       | -i
cmake-format       | --check                             | -i
csharpier          | check --check                       | format
dart format        | --output=none --set-exit-if-changed |
darker             | --check --diff                      |
deno fmt           | --check                             |
djlint             | --check --lint                      | --reformat
docformatter       | --check -c --diff                   | --in-place
dotnet format      | --verify-no-changes                 |
dprint             | check                               | fmt
elm-format         | --validate                          | --yes
erb_lint           | *                                   | --autocorrect
erblint            | *                                   | --autocorrect
fantomas           | --check                             |
fourmolu           | --mode check                        | --mode inplace
fprettify          | --diff -d                           |
gci                | diff list                           | write
gersemi            | --check -c                          | --in-place
gleam format       | --check                             |
gofumpt            | -l -d                               | -w
golines            | -l --list-files --dry-run           | -w
google-java-format | --dry-run -n --set-exit-if-changed  | --replace
ktlint             | *                                   | --format
mdformat           | --check                             |
mix format         | --check-formatted --dry-run         |
nixfmt             | --check -c                          |
nixpkgs-fmt        | --check                             |
ocamlformat        | --check                             | --inplace
ormolu             | --mode check                        | --mode inplace
oxfmt              | --check                             |
oxlint             | *                                   | --fix
packer fmt         | -check                              |
perltidy           | --assert-tidy                       | -b
php-cs-fixer       | --dry-run --diff                    |
pint               | --test                              |
purs-tidy          | check                               | format-in-place
pycln              | --check -c --diff -d                |
pyproject-fmt      | --check                             |
reorder-python-imports | *                               |
rubocop            | *                                   | --autocorrect
rufo               | --check                             |
rumdl              | check                               | check --fix
scalafmt           | --check --test --list               |
shfmt              | --diff -d --list -l                 | -w
sort-package-json  | --check -c                          |
sqlfluff           | lint                                | fix
standardrb         | *                                   | --fix
stylua             | --check -c                          |
stylish-haskell    | --check                             | --inplace
swiftformat        | --lint --dryrun                     |
swift-format       | lint                                | format --in-place
syntax_tree        | check                               | write
taplo fmt          | --check --diff                      |
taplo format       | --check --diff                      |
terraform fmt      | -check -check=true -diff            |
tofu fmt           | -check -check=true -diff            |
tombi format       | --check --diff                      |
toml-sort          | --check                             | --in-place
ufmt               | check diff                          | format
unimport           | --check --diff -c -d                | --remove
usort              | check diff                          | format
yamlfix            | --check                             |
yamlfmt            | -lint -dry                          |
yapf               | --diff -d --quiet -q                | --in-place
zig fmt            | --check                             |
"""
# What shows that a command rewrites files, or compares what is written with what is committed.
WROTE = re.compile(
    r"files were modified by this hook|^diff --git a/|^(?:Rewriting|Fixing|Reformatted|reformatted) ", re.M
)
GLOB = re.compile(r"[\w@%+=:,./*?-]+")
PATH = re.compile(r"[\w@+./-]{1,300}")
QUICK = 60.0  # seconds of a command that is run again only because nothing in its output could be read
MAX_OUTPUT = 1_000_000  # characters that are searched for paths


class CheckMode(NamedTuple):
    """`checks`: the words that make it a check, unless it `always` is one; `writes`: those that make it write."""

    checks: frozenset[str]
    writes: tuple[str, ...]
    always: bool


@dataclass(frozen=True)
class Rewriting:
    """The call that writes; `mentioned` are files that the check's output names."""

    name: str
    calls: tuple[Call, ...]
    mentioned: tuple[str, ...]


def rewriting_of(check: Check, result: CheckResult, paths: Iterable[str], read: Read) -> Rewriting | None:
    """How the failed check writes what it demands; None where it is not known to write. `paths` are the repository's
    files, `read` gives their content, for the scripts of package.json."""
    plain = commands_of(check.step, read) if check.step.shell in SHELLS else []
    commands = [words for command in plain if (words := _words(command))]
    writing = {called(words)[0]: text for words in commands if (text := _writing(words))}
    if not writing and not _rewrites(result):
        return None
    # A command may exit with 1 because it wrote.
    text = "\n".join(f"{one} || :" for one in writing.values()) or f"(\n{check.step.run}\n) || :"
    name = next(iter(writing), called(commands[0])[0] if len(commands) == 1 else "check")
    mentioned = dict.fromkeys(_mentioned(result.output, check.step.cwd, frozenset(paths)))
    return Rewriting(name, (Call(("bash", "-c", text), check.step.cwd or "."),), tuple(mentioned))


def _rewrites(result: CheckResult) -> bool:
    """Whether a failed command may have rewritten files: its output shows it, or nothing could be read in it."""
    unread = result.seconds <= QUICK and all(error.tool == UNREAD for error in result.errors)
    return unread or WROTE.search(result.output) is not None


@lru_cache(maxsize=1)
def _modes() -> dict[tuple[str, str], CheckMode]:
    """The modes by program and subcommand."""
    modes = {}
    for row in MODES.strip().splitlines():
        name, checks, writes = (part.strip() for part in row.split("|"))
        program, _, subcommand = name.partition(" ")
        always = checks == "*"
        words = frozenset() if always else frozenset(checks.split())
        modes[program, subcommand] = CheckMode(words, tuple(writes.split()), always)
    return modes


def _writing(words: list[str]) -> str:
    """The command with its option to write; empty where the tool isn't known, or isn't called as a check."""
    tool, start = called(words)
    subcommand = words[start] if start < len(words) else ""
    mode, first = _modes().get((tool, subcommand)), start + 1
    if mode is None:
        mode, first = _modes().get((tool, "")), start
    if mode is None:
        return ""
    found = [at for at in range(first, len(words)) if words[at] in mode.checks]
    if not found and not mode.always:
        return ""
    at = found[0] if found else first
    kept = [word for index, word in enumerate(words) if index >= at and index not in found]
    return " ".join(map(_quoted, [*words[:at], *mode.writes, *kept]))


def _words(command: str) -> list[str] | None:
    """The words of a simple command, in which file names may be patterns."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return words if all(GLOB.fullmatch(word) or simple(shlex.quote(word)) for word in words) else None


def _quoted(word: str) -> str:
    return word if GLOB.fullmatch(word) else shlex.quote(word)


def _mentioned(output: str, cwd: str, paths: frozenset[str]) -> Iterator[str]:
    """The repository's files that an output names, from its root or from the command's folder, or as git's diffs do."""
    seen = dict.fromkeys(PATH.findall(output[:MAX_OUTPUT]))
    for word in seen:
        for path in (word, f"{cwd}/{word}", word.removeprefix("./"), word.partition("/")[2]):
            if path in paths:
                yield path
                break
