"""What `make GOAL` runs: the commands of the goal's recipe, where the Makefile says so without being run.

Read are rules, prerequisites and variables with a plain value (GNU make's manual, chapters 4 to 6). Where anything else
decides (functions, automatic variables, includes, conditionals around what is used, exported variables, files that are
made), nothing is returned.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from healing.checks.npm_scripts import Read, in_folder

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
QUIET = re.compile(r"-(?:s|-silent|-quiet|-no-print-directory|j\d{0,2}|-jobs(?:=\d+)?)\Z")
# What changes how every recipe is run.
DECIDES = re.compile(
    r"^(?:[-s]?include\b|(?:un)?export\b|define\b|override\b|SHELL\b|MAKEFLAGS\b|\.(?:ONESHELL|SHELLFLAGS|RECIPEPREFIX"
    r"|SECONDEXPANSION|EXPORT_ALL_VARIABLES|DEFAULT|IGNORE|POSIX)\b)",
    re.M,
)
CONDITION = re.compile(r"(?P<opens>if(?:n?eq|n?def)\b)|(?P<ends>endif\b)|else\b")
VARIABLE = re.compile(r"(?P<name>[A-Za-z_][\w.-]*)\s*(?P<sign>[:?+]?=|::=)\s*(?P<value>.*)")
RULE = re.compile(r"(?P<targets>[^:=#]+):(?![:=])\s*(?P<needs>[^=;#]*)(?:#.*)?\Z")
REFERENCE = re.compile(r"\$(?:(?P<dollar>\$)|[({](?P<name>[A-Za-z_][\w.-]*)[)}])")
GOAL = re.compile(r"[A-Za-z_][\w-]*")
# Variables with a value of make's own (GNU make's manual, 10.3 and appendix A): not the environment's.
BUILT_IN = frozenset(
    (
        "AR",
        "AS",
        "CC",
        "CXX",
        "CPP",
        "FC",
        "PC",
        "CO",
        "GET",
        "LEX",
        "YACC",
        "LINT",
        "MAKEINFO",
        "TEX",
        "TEXI2DVI",
        "RM",
    )
) | {"M2C", "WEAVE", "CWEAVE", "TANGLE", "CTANGLE", "ARFLAGS", "CURDIR", "MAKECMDGOALS", "MAKEFILES", "SUFFIXES"}
# A folder of this name, which isn't seen here, makes a goal up to date unless it is phony.
FOLDERS = frozenset(("test", "tests", "doc", "docs", "build", "dist", "bin", "lib", "src", "spec", "bench", "examples"))
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
MAX_BYTES, MAX_DEPTH, MAX_LINES = 200_000, 8, 40


class LeftToMake(Exception):
    """Only make itself can determine it."""


@dataclass
class GoalRule:
    """The prerequisites and recipe lines of a target."""

    needs: list[str] = field(default_factory=list)
    recipe: list[str] = field(default_factory=list)


@dataclass
class Makefile:
    """The rules and variables of a Makefile. `unsure` are the names of rules and variables that aren't plain ones."""

    rules: dict[str, GoalRule] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    phony: set[str] = field(default_factory=set)


def make_recipe(words: list[str], cwd: str, read: Read, variables: Mapping[str, str]) -> list[str] | None:
    """The commands, in order, that a call of make with these words runs; None where it is no call of make, or where
    that can't be determined. `variables` are those of its environment."""
    if words[:1] != ["make"]:
        return None
    given = [word for word in words[1:] if not QUIET.match(word)]
    goals = [word for word in given if GOAL.fullmatch(word)]
    data = next((data for name in MAKEFILES if (data := read(in_folder(cwd, name))) is not None), None)
    if not goals or goals != given or data is None or len(data) > MAX_BYTES:
        return None
    try:
        makefile = parsed(data.decode("utf-8", "replace"), variables)
        lines = list(_Runs(makefile, cwd, read).goals(goals))
    except LeftToMake:
        return None
    return lines if 0 < len(lines) <= MAX_LINES else None


def parsed(text: str, variables: Mapping[str, str]) -> Makefile:
    """The Makefile's rules and variables. Raises LeftToMake where something changes how every recipe is run."""
    if DECIDES.search(text):
        raise LeftToMake
    makefile, depth, current = Makefile(), 0, list[str]()
    for line in text.replace("\\\n", " ").splitlines():
        condition = CONDITION.match(line.lstrip()) if not line.startswith("\t") else None
        if condition:
            depth += bool(condition["opens"]) - bool(condition["ends"])
        elif line.startswith("\t"):
            _add_recipe(makefile, current, line[1:], sure=depth == 0)
        elif line.strip() and not line.startswith("#"):
            current = _add(makefile, line.strip(), variables, sure=depth == 0)
    return makefile


def _add_recipe(makefile: Makefile, targets: list[str], line: str, sure: bool) -> None:
    for target in targets:
        makefile.rules[target].recipe.append(line)
        if not sure:
            makefile.unsure.add(target)


def _add(makefile: Makefile, line: str, variables: Mapping[str, str], sure: bool) -> list[str]:
    """Adds a rule or a variable; returns the targets to which the recipe lines that follow belong."""
    if variable := VARIABLE.fullmatch(line):
        name, sign, value = variable["name"], variable["sign"], variable["value"].partition(" #")[0].strip()
        if not sure or ("$" in value and sign in (":=", "::=", "+=")):  # these are replaced where they stand
            makefile.unsure.add(name)
        if sign == "?=" and (name in variables or name in makefile.variables):
            makefile.variables.setdefault(name, variables.get(name, ""))
        elif sign == "+=":
            makefile.variables[name] = f"{makefile.variables.get(name, variables.get(name, ''))} {value}".strip()
        else:
            makefile.variables[name] = value
        return []
    rule = RULE.fullmatch(line)
    if rule is None:
        makefile.unsure.update(re.findall(r"[\w.-]+", line.partition(":")[0]))
        return []
    targets = rule["targets"].split()
    needs = rule["needs"].replace("|", " ").split()
    if any(target == "%" or ("$" in target and not re.search(r"[/.]", target)) for target in targets):
        raise LeftToMake  # it may be any goal's rule
    if targets == [".PHONY"]:
        makefile.phony.update(needs)
        return []
    for target in targets:
        known = makefile.rules.setdefault(target, GoalRule())
        if not sure or known.recipe or "$" in rule["needs"]:  # a second recipe takes the place of the first
            makefile.unsure.add(target)
        known.needs.extend(needs)
    return targets


@dataclass
class _Runs:
    """Follows goals to the commands of their recipes, each target once."""

    makefile: Makefile
    cwd: str
    read: Read
    done: set[str] = field(default_factory=set)

    def goals(self, names: list[str], depth: int = 0) -> Iterator[str]:
        for name in names:
            if name not in self.done:
                self.done.add(name)
                yield from self._goal(name, depth)

    def _goal(self, name: str, depth: int) -> Iterator[str]:
        rule = self.makefile.rules.get(name)
        is_file = self.read(in_folder(self.cwd, name)) is not None
        if rule is None and is_file:
            return  # an ordinary file, which is there
        made = name not in self.makefile.phony and (is_file or name in FOLDERS or not GOAL.fullmatch(name))
        if rule is None or made or name in self.makefile.unsure or depth > MAX_DEPTH:
            raise LeftToMake
        yield from self.goals(rule.needs, depth + 1)
        for line in rule.recipe:
            command = line.strip().lstrip("@+ \t")
            if command.startswith("-"):  # its failure would be ignored
                raise LeftToMake
            if command and not command.startswith("#"):
                yield self._expanded(command)

    def _expanded(self, text: str, depth: int = 0) -> str:
        """The text with its variables replaced. One that isn't set here is left to the shell, as make takes it from the
        environment."""

        def value(match: re.Match[str]) -> str:
            name = match["name"]
            if match["dollar"]:
                return "\0"
            if name == "MAKE":
                return "make"
            raw = self.makefile.variables.get(name)
            if name in self.makefile.unsure or depth > MAX_DEPTH:
                raise LeftToMake
            if raw is None and (name in BUILT_IN or not IDENTIFIER.fullmatch(name)):
                raise LeftToMake
            return f"\0{{{name}}}" if raw is None else self._expanded(raw, depth + 1)

        expanded = REFERENCE.sub(value, text)
        if "$" in expanded:
            raise LeftToMake
        return expanded.replace("\0", "$") if depth == 0 else expanded
