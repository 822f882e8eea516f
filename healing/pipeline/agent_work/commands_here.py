"""Which commands agents may run: those of the allowed list that are installed where the failing check runs, and the
failing command's own way to start its tool, like `uv run pytest`. A missing command would cost a model call to find
out."""

import re
import shlex
from collections.abc import Iterable, Sequence

from healing.checks.check import Check, Script
from healing.checks.narrow import SYNTAX, tool_of
from healing.checks.narrowing.words import assignments, called, simple
from healing.repair.agents.tools.commands import Command, refusal
from healing.verify.verifier import Verifier

SECONDS = 120
PYTHON = re.compile(r"python[\d.]*\Z")
THERE = re.compile(r"^heal-there-(\d{1,4})$", re.M)

# Commands that start tests and accept further arguments for them: `npm test -- cart`, `./gradlew test --tests Cart`.
STARTERS = re.compile(
    r"(?:\S*python[\d.]* -m )?coverage run -m (?:pytest|unittest)|cargo nextest run|(?:\./)?(?:gradlew|mvnw)|gradle|mvn"
    r"|hatch (?:run|test)|(?:npm|pnpm|yarn|bun) (?:test|run [\w:.-]+)|tox|nox|bundle exec [\w-]+|rye (?:run|test)"
    r"|composer test"
)

LANGUAGES = {
    ("python", "pytest", "ruff", "mypy", "pyright", "black", "isort", "flake8", "pylint"): (".py", ".pyi", ".ipynb"),
    ("go", "gofmt"): (".go",),
    ("cargo", "rustc"): (".rs",),
    ("tsc", "eslint", "npx", "node"): (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".vue", ".svelte"),
    ("mvn", "gradle"): (".java", ".kt", ".kts", ".scala", ".groovy"),
}


def command_like(check: Check, run: str, folder: str = ".") -> Check:
    """A command that runs where the check's step runs: after the same set-up and with the same variables."""
    own = dict(word.split("=", 1) for word in assignments(simple(check.step.run) or []))
    step = Script(name="command", run=run, cwd=folder, shell="", env={**check.step.env, **own})
    return check.model_copy(update={"step": step, "seconds": SECONDS})


def whole_commands(checks: Iterable[Check]) -> tuple[Command, ...]:
    """The commands of the checks, where each is one plain command in the root that `run_command` may run as it is; else
    empty, and they are run by their labels."""
    commands = []
    for check in checks:
        words = tuple(simple(check.step.run) or ())
        if check.step.cwd != "." or assignments(list(words)) or refusal(words, [words]):
            return ()
        commands.append(words)
    return tuple(dict.fromkeys(commands))


def launched(checks: Iterable[Check]) -> tuple[Command, ...]:
    """How the checks start tools that test or lint, where that is not by the tool's bare name."""
    return tuple(dict.fromkeys(start for check in checks if (start := _start(check))))


def _start(check: Check) -> Command:
    words = simple(check.step.run)
    if not words or tool_of(check) in SYNTAX:
        return ()
    own = tuple(words[len(assignments(words)) :])
    start = own[: called(words)[1] - len(assignments(words))] if tool_of(check) else ()
    if len(start) > 1:
        return start
    return own if len(own) > 1 and STARTERS.match(" ".join(own)) else ()


async def commands_here(verifier: Verifier, checks: Sequence[Check], allowed: Sequence[Command]) -> tuple[Command, ...]:
    """The commands for errors that these checks show, for the repository's languages. One short run in the first
    check's environment, on the tree that CI built, finds out which are installed, so that it is done once for all
    clusters. If it finds none, all are listed."""
    if not checks:
        return tuple(allowed)
    paths = verifier.git.view(verifier.trees.head).paths()
    allowed = [words for words in allowed if _has_use(words[0], paths)] or list(allowed)
    lines = [f"if {_can_start(words)}; then echo heal-there-{n}; fi" for n, words in enumerate(allowed)]
    result = await verifier.checker.run(command_like(checks[0], "\n".join(lines)), verifier.trees.built)
    runnable = {int(number) for number in THERE.findall(result.output)} if result.green else set()
    installed = [words for number, words in enumerate(allowed) if number in runnable or not runnable]
    return tuple(dict.fromkeys((*launched(checks), *installed)))


def _has_use(program: str, paths: Iterable[str]) -> bool:
    """Whether the repository has files that such a program reads; always true for an unknown program."""
    name = "python" if PYTHON.match(program) else program
    suffixes = next((suffixes for programs, suffixes in LANGUAGES.items() if name in programs), ())
    return not suffixes or any(path.endswith(suffixes) for path in paths)


def _can_start(words: Command) -> str:
    """A shell condition: whether the command can be started."""
    program = f"command -v {shlex.quote(words[0])}"
    if PYTHON.match(words[0]) and words[1:2] == ("-m",) and len(words) > 2:
        finds = f"import importlib.util as u, sys; sys.exit(not u.find_spec({words[2]!r}))"
        program = f"{shlex.quote(words[0])} -c {shlex.quote(finds)}"
    elif words[0] == "npx" and len(words) > 1:
        name = shlex.quote(words[1])
        program = f"command -v npx && {{ [ -x node_modules/.bin/{name} ] || command -v {name}; }}"
    return f"{{ {program}; }} >/dev/null 2>&1"
