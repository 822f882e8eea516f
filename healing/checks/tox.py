"""Reads what tox would run: the commands of its environments, from tox.ini, setup.cfg, pyproject.toml or tox.toml.

The format is tox 4's (tox.wiki, "Configuration"): sections with generative names, lines that apply only to some
factors, and substitutions. A command that can't be determined without running tox is left out, and its environment is
no longer `whole`.
"""

import configparser
import itertools
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from healing.checks.check import WORKSPACE
from healing.view import TreeView

PYTHON_FACTOR = re.compile(r"(?:py|pypy|cpython|graalpy|python)?-?(?:[23]\.?\d{0,2}(?:\.\d+)?t?)?\Z")
CONDITION = re.compile(r"(?P<when>!?[\w.]+(?:[,-]!?[\w.]+)*(?:\s*,\s*!?[\w.]+)*):\s+(?P<rest>.*)\Z")
BRACES = re.compile(r"\{([^{}]{0,500})\}")
FOLDERS = {"toxinidir", "tox_root", "changedir", "change_dir"}
SCRATCH = {"envdir", "env_dir", "envtmpdir", "env_tmp_dir", "envlogdir", "env_log_dir", "toxworkdir", "work_dir"}
FILES = ("tox.ini", "setup.cfg", "pyproject.toml", "tox.toml")
MAX_NAMES = 500  # that one generative name may expand to
MAX_DEPTH = 8  # nested references to other sections


@dataclass(frozen=True)
class ToxEnvironment:
    """One environment of tox: its commands as bash text, with their folder and variables. `whole`: nothing had to be
    left out."""

    name: str
    commands: tuple[str, ...]
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True


class Undetermined(Exception):
    """Something that only tox itself can determine."""


def environments(view: TreeView, words: list[str], variables: Mapping[str, str]) -> tuple[ToxEnvironment, ...]:
    """What `tox` with these arguments would run; empty where that can't be determined. Environments that differ only in
    their Python are reduced to one: the one for this machine's Python if it is among them, else the first."""
    config = _config(view)
    if config is None:
        return ()
    names, factors, posargs = _parse_arguments(words, variables)
    listed = config.listed()
    if factors:
        names = [
            name for name in config.every() if any(set(factor.split("-")) <= set(name.split("-")) for factor in factors)
        ]
    elif not names or names == ["ALL"]:
        names = listed
    candidates = (config.environment(name, posargs, variables) for name in one_python_each(names))
    return tuple(environment for environment in candidates if environment is not None)


def one_python_each(names: Iterable[str]) -> list[str]:
    """The names without those that differ from another only in their Python; the one for this machine's Python is
    preferred over the first."""
    import platform

    python = ".".join(platform.python_version_tuple()[:2])
    spellings = {python, f"py{python}", f"py{python.replace('.', '')}"}
    kept: dict[tuple[str, ...], str] = {}
    for name in names:
        parts = name.split("-")
        rest = tuple(part for part in parts if not PYTHON_FACTOR.match(part))
        if rest not in kept or spellings & set(parts):
            kept[rest] = name
    return list(kept.values())


def _parse_arguments(words: list[str], variables: Mapping[str, str]) -> tuple[list[str], list[str], list[str] | None]:
    """The environments and factors that the arguments name, and what follows `--` (None without it)."""
    posargs = words[words.index("--") + 1 :] if "--" in words else None
    words = words[: words.index("--")] if "--" in words else words
    names: list[str] = []
    factors: list[str] = []
    at = 0
    while at < len(words):
        option, equals, value = words[at].partition("=")
        at += 1
        if option in ("-e", "--env", "-f", "-m"):
            if not equals and at < len(words):
                value = words[at]
                at += 1
            (factors if option == "-f" else names).extend(part for part in value.split(",") if part)
        elif option.startswith("-e") and len(option) > 2 and not option.startswith("--"):
            names += option[2:].split(",")
    if not names and not factors:
        names = [part.strip() for part in variables.get("TOXENV", "").split(",") if part.strip()]
    return names, factors, posargs


def _config(view: TreeView) -> "_Ini | _Toml | None":
    """The first of tox's files that configures it, in tox's own order; None where none does."""
    texts = ((path, (view.read(path) or b"").decode(errors="replace")) for path in FILES)
    configs = (_toml(text, path) if path.endswith(".toml") else _ini(text, path) for path, text in texts)
    return next((config for config in configs if config is not None), None)


def _toml(text: str, path: str) -> "_Ini | _Toml | None":
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    if path == "pyproject.toml":
        tool = tables.get("tool")
        tables = tool.get("tox", {}) if isinstance(tool, dict) else {}
    if not isinstance(tables, dict) or not tables:
        return None
    legacy = tables.get("legacy_tox_ini")
    return _ini(legacy, "tox.ini") if isinstance(legacy, str) else _Toml(tables)


def _ini(text: str, path: str) -> "_Ini | None":
    ini = configparser.RawConfigParser(delimiters=("=",), comment_prefixes=("#",), strict=False)
    ini.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        ini.read_string(text)
    except configparser.Error:
        return None
    top = "tox:tox" if path == "setup.cfg" else "tox"
    return _Ini(ini, top) if ini.has_section(top) or ini.has_section("testenv") else None


@dataclass
class _Ini:
    """An ini file: tox.ini, setup.cfg, or `legacy_tox_ini`."""

    ini: configparser.RawConfigParser
    top: str

    def listed(self) -> list[str]:
        """The names of `env_list`."""
        raw = self._raw(self.top, "env_list", "envlist")
        lines = (line.partition(" #")[0] for line in raw.splitlines() if not line.lstrip().startswith("#"))
        return [name for line in lines for name in spread(line)]

    def every(self) -> list[str]:
        """The names in `env_list`, and of environments that have a section."""
        named = (s.removeprefix("testenv:") for s in self.ini.sections() if s.startswith("testenv:"))
        return list(dict.fromkeys([*self.listed(), *(name for header in named for name in spread(header))]))

    def environment(self, name: str, posargs: list[str] | None, variables: Mapping[str, str]) -> ToxEnvironment | None:
        """The environment of that name; None where it does not exist or can't be determined."""
        section = next((s for s in self.ini.sections() if _is_section_of(s, name)), "")
        if not section and not any(PYTHON_FACTOR.match(part) for part in name.split("-")):
            return None
        reader = _Reader(self, section, name, posargs, variables)
        return reader.environment()

    def lines(self, section: str, name: str, *keys: str) -> list[str]:
        """The lines of the first of these keys that the section or the base section has, filtered by the environment's
        factors."""
        raw = self._raw(section, *keys) or self._raw("testenv", *keys)
        joined = re.sub(r"\s*\\\n\s*", " ", raw)
        lines = (line.strip() for line in joined.splitlines())
        kept = []
        for line in lines:
            if not line or line.startswith("#"):
                continue
            when = CONDITION.match(line)
            if when is None:
                kept.append(line)
            elif _condition_holds(when["when"], set(name.split("-"))):
                kept.append(when["rest"])
        return kept

    def value(self, section: str, key: str) -> str | None:
        """One raw value; None where the section or the key is missing."""
        header = next((s for s in self.ini.sections() if s == section or _is_section_of(s, section[8:])), "")
        return self.ini.get(header, key, fallback=None) if header else None

    def _raw(self, section: str, *keys: str) -> str:
        return next((self.ini.get(section, key) for key in keys if self.ini.has_option(section, key)), "")


@dataclass
class _Reader:
    """Reads one environment of an ini file."""

    ini: _Ini
    section: str
    name: str
    posargs: list[str] | None
    variables: Mapping[str, str]

    def environment(self) -> ToxEnvironment | None:
        whole, commands = True, []
        for line in self.lines("commands"):
            try:
                command = self.filled(line).strip()
            except Undetermined:
                whole = False
                continue
            commands.append(_plain(command))
        try:
            cwd = self.filled(next(iter(self.lines("change_dir", "changedir")), "."))
        except Undetermined:
            return None
        return ToxEnvironment(self.name, tuple(filter(None, commands)), _folder(cwd), self.env(), whole)

    def lines(self, *keys: str) -> list[str]:
        return self.ini.lines(self.section, self.name, *keys)

    def env(self) -> dict[str, str]:
        """The variables that the environment sets, as far as they can be determined."""
        values: dict[str, str] = {}
        for line in self.lines("set_env", "setenv"):
            key, equals, value = line.partition("=")
            try:
                values |= {key.strip(): self.filled(value.strip())} if equals and key.strip().isidentifier() else {}
            except Undetermined:
                continue
        return values

    def filled(self, text: str, depth: int = 0) -> str:
        """The text with its substitutions applied. Raises Undetermined."""
        if depth > MAX_DEPTH:
            raise Undetermined
        for _ in range(50):
            match = BRACES.search(text)
            if match is None:
                return _braced(text)
            text = text[: match.start()] + self.value(match[1], depth) + text[match.end() :]
        raise Undetermined

    def value(self, word: str, depth: int) -> str:
        reference = re.fullmatch(r"\[(?P<section>[^\]]{1,200})\](?P<key>[\w-]{1,100})", word)
        if reference:
            raw = self.ini.value(reference["section"], reference["key"])
            if raw is None:
                raise Undetermined
            return self.filled(" ".join(raw.split("\n")).strip(), depth + 1)
        return substituted(word, self.name, self.posargs, self.variables)


def substituted(word: str, name: str, posargs: list[str] | None, variables: Mapping[str, str]) -> str:
    """The replacement for tox's `{word}`. Raises Undetermined."""
    key, _, rest = word.partition(":")
    if key == "posargs":
        return shlex.join(posargs) if posargs is not None else rest
    if key == "env":
        wanted, _, default = rest.partition(":")
        return variables.get(wanted, default)
    if key == "tty":
        return rest.partition(":")[2]
    if key in FOLDERS:
        return WORKSPACE
    if key in SCRATCH:
        return f"$\0TMPDIR:-/tmp\1/tox-{name}"
    if key in ("envname", "env_name"):
        return name
    if key in ("envpython", "env_python"):
        return "python"
    if word in (":", "/"):
        return word
    if "," in word and " " not in word:  # a brace expansion for the shell
        return f"\0{word}\1"
    raise Undetermined


@dataclass
class _Toml:
    """A file of tables: tox.toml, or `[tool.tox]` of pyproject.toml."""

    tables: Mapping[str, object]

    def listed(self) -> list[str]:
        """The names of `env_list`."""
        names = self.tables.get("env_list")
        return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

    def every(self) -> list[str]:
        """The names in `env_list`, and of environments that have a table."""
        own = self.tables.get("env")
        return list(dict.fromkeys([*self.listed(), *(own if isinstance(own, dict) else ())]))

    def environment(self, name: str, posargs: list[str] | None, variables: Mapping[str, str]) -> ToxEnvironment | None:
        """The environment of that name; None where it does not exist or can't be determined."""
        base, every = self.tables.get("env_run_base"), self.tables.get("env")
        own = every.get(name) if isinstance(every, dict) else None
        if own is None and not any(PYTHON_FACTOR.match(part) for part in name.split("-")):
            return None
        table = {**(base if isinstance(base, dict) else {}), **(own if isinstance(own, dict) else {})}
        commands, whole = [], True
        listed = table.get("commands")
        for command in listed if isinstance(listed, list) else []:
            try:
                words = list(self._words(command, name, posargs, variables))
            except Undetermined:
                whole = False
                continue
            commands.append(_plain(" ".join(_quoted(word) for word in words)))
        set_env = table.get("set_env")
        pairs = set_env.items() if isinstance(set_env, dict) else ()
        env = {key: value for key, value in pairs if isinstance(value, str) and "{" not in value}
        cwd = str(table.get("change_dir") or ".")
        try:
            cwd = self._filled(cwd, name, posargs, variables)
        except Undetermined:
            return None
        return ToxEnvironment(name, tuple(filter(None, commands)), _folder(cwd), env, whole)

    def _words(self, raw: object, name: str, posargs: list[str] | None, variables: Mapping[str, str]) -> Iterator[str]:
        for word in raw if isinstance(raw, list) else [raw]:
            if isinstance(word, str):
                yield self._filled(word, name, posargs, variables)
            elif isinstance(word, dict) and word.get("replace") == "posargs":
                default = word.get("default")
                given = posargs if posargs is not None else default if isinstance(default, list) else []
                for argument in given:
                    yield from self._words([argument], name, posargs, variables)
            elif isinstance(word, dict) and word.get("replace") == "env":
                yield variables.get(str(word.get("name")), str(word.get("default", "")))
            else:
                raise Undetermined

    def _filled(self, text: str, name: str, posargs: list[str] | None, variables: Mapping[str, str]) -> str:
        return _braced(BRACES.sub(lambda found: substituted(found[1], name, posargs, variables), text))


def spread(text: str) -> Iterator[str]:
    """The names that a generative list such as `a{1,2}-{b,c}, d` or `py3{10-12}` expands to."""
    for word in re.split(r",(?![^{]*\})", text):
        if not (name := re.sub(r"\s", "", word)):
            continue
        parts = re.split(r"\{([^{}]*)\}", name)
        choices = [[part] if at % 2 == 0 else list(_choices(part)) for at, part in enumerate(parts)]
        yield from ("".join(combination) for combination in itertools.islice(itertools.product(*choices), MAX_NAMES))


def _choices(text: str) -> Iterator[str]:
    for part in text.split(","):
        bounds = re.fullmatch(r"(\d{1,4})-(\d{1,4})", part)
        first, last = (int(bounds[1]), int(bounds[2])) if bounds else (1, 0)
        yield from (map(str, range(first, min(last, first + MAX_NAMES) + 1)) if bounds else (part,))


def _is_section_of(section: str, name: str) -> bool:
    """Whether a section belongs to the environment."""
    return section.startswith("testenv:") and name in spread(section.removeprefix("testenv:"))


def _condition_holds(when: str, factors: set[str]) -> bool:
    """Whether the factors satisfy a condition such as `a-b, !c`."""
    return any(
        all(
            (part[1:] not in factors) if part.startswith("!") else part in factors
            for part in alternative.strip().split("-")
        )
        for alternative in when.split(",")
    )


def _braced(text: str) -> str:
    """The text with the braces restored that are meant for the shell."""
    return text.replace("\0", "{").replace("\1", "}")


def _plain(command: str) -> str:
    """The command without tox's prefixes for its exit code (`-`, `!`)."""
    return re.sub(r"^(?:[-!]\s+|[-!](?=\w))", "", command)


def _quoted(word: str) -> str:
    return word if WORKSPACE in word or "${TMPDIR" in word else shlex.quote(word)


def _folder(cwd: str) -> str:
    return cwd.removeprefix(f"{WORKSPACE}/").removeprefix(WORKSPACE) or "."
