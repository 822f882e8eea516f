"""A failing command that can write what it demands: a tool's check with its option to write, whatever calls it, and a
command that rewrites files by itself, as pre-commit's hooks do, or a generator before `git diff --exit-code`."""

import re
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, field

from healing.checks.check import Check, CheckResult
from healing.checks.narrowing.words import called, simple
from healing.checks.npm_scripts import Read
from healing.checks.separating import SHELLS, commands_of
from healing.checks.unreadable import UNREAD, VAGUE
from healing.model import Category
from healing.repair.tools.call import Call
from healing.repair.tools.sibling_goals import writing_goals
from healing.repair.tools.write_mode import in_write_mode
from healing.verify.roles.reached import called_texts

# What shows that a command rewrites files, or compares what is written with what is committed.
WROTE = re.compile(
    r"files were modified by this hook|^diff --git a/|^(?:Rewriting|Fixing|Reformatted|reformatted) ", re.M
)
PATH = re.compile(r"[\w@+./-]{1,300}")
PROGRAMS = {"ruff-format": "ruff", "clippy": "cargo", "rustfmt": "cargo"}  # of tools that have another name
STOPS = re.compile(r"^([ \t]*set[ \t]+)-(?=[a-z]*e)", re.M)  # a script that ends at the first command that fails
QUICK = 60.0  # seconds of a command that is run again only because nothing in its output could be read
MAX_OUTPUT = 1_000_000  # characters that are searched for paths


@dataclass(frozen=True)
class Rewriting:
    """The call that writes; `mentioned` are files that the check's output names. `callers` are the files that call the
    tool, with the content in which it writes; they have to be replaced for the call only."""

    name: str
    calls: tuple[Call, ...]
    mentioned: tuple[str, ...]
    callers: Mapping[str, bytes] = field(default_factory=dict)


def rewriting_of(
    check: Check, result: CheckResult, paths: Collection[str], read: Read, tried: Set[str] = frozenset()
) -> Rewriting | None:
    """How the failed check writes what it demands; None where it is not known to write. `paths` are the repository's
    files, `read` gives their content. Tools that were `tried` by themselves stay as they are."""
    step = check.step
    commands = commands_of(step, read) if step.shell in SHELLS else []
    tried = {PROGRAMS.get(tool, tool) for tool in tried}
    if any(error.tool == "rustc" for error in result.errors):
        tried.add("cargo")  # which repairs nothing that doesn't compile
    writing = [one for command in commands if (one := in_write_mode(command, tried))[1]]
    whole, callers, tools = step.run, dict[str, bytes](), [tool for _, there in writing for tool in there]
    if not writing and result.seconds <= QUICK:
        whole, there = in_write_mode(step.run, tried)
        callers, elsewhere = _callers(check, paths, read, tried)
        tools = [*there, *elsewhere]
    if not tools and not _rewrites(result):
        return None
    # A command may exit with 1 because it wrote; make then goes on.
    text = "\n".join(f"{one} || :" for one, _ in writing) or f"export MAKEFLAGS=-i\n(\n{whole}\n) || :"
    only = simple(commands[0]) if len(commands) == 1 else None
    name = next(iter(tools), called(only)[0] if only else "check")
    mentioned = dict.fromkeys(_mentioned(result.output, step.cwd, paths))
    return Rewriting(name, (Call(("bash", "-c", text), step.cwd or "."),), tuple(mentioned), callers)


def by_sibling(check: Check, result: CheckResult, paths: Collection[str], read: Read) -> Rewriting | None:
    """How the repository's own goals, beside the one that failed, write what it demands; None where it has none by such
    a name, or where the check complains of more than how code is written."""
    about_form = all(
        e.category in (Category.FORMAT, Category.LINT) or e.tool in (UNREAD, *VAGUE) for e in result.errors
    )
    goals = writing_goals(check.step.run, check.step.cwd, read) if about_form and result.seconds <= QUICK else ()
    text = "\n".join(f"{goal} || :" for goal in goals)
    mentioned = tuple(dict.fromkeys(_mentioned(result.output, check.step.cwd, paths)))
    return Rewriting(goals[0], (Call(("bash", "-c", text), check.step.cwd or "."),), mentioned) if goals else None


def _callers(check: Check, paths: Collection[str], read: Read, tried: Set[str]) -> tuple[dict[str, bytes], list[str]]:
    """The files that the check runs and that call tools, with the content in which these write; and the tools."""
    callers: dict[str, bytes] = {}
    tools: list[str] = []
    for path, text in called_texts(check.step.cwd, check.step.run, paths, read):
        writing, called_there = in_write_mode(text, tried)
        if called_there:
            callers[path] = STOPS.sub(r"\1+", writing).encode("utf-8", "surrogateescape")
            tools += called_there
    return callers, tools


def _rewrites(result: CheckResult) -> bool:
    """Whether a failed command may have rewritten files: its output shows it, or nothing could be read in it."""
    unread = result.seconds <= QUICK and all(error.tool == UNREAD for error in result.errors)
    return unread or WROTE.search(result.output) is not None


def _mentioned(output: str, cwd: str, paths: Collection[str]) -> Iterator[str]:
    """The repository's files that an output names, from its root or from the command's folder, or as git's diffs do."""
    seen = dict.fromkeys(PATH.findall(output[:MAX_OUTPUT]))
    for word in seen:
        for path in (word, f"{cwd}/{word}", word.removeprefix("./"), word.partition("/")[2]):
            if path in paths:
                yield path
                break
