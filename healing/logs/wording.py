"""Patterns for findings of any tool: severity, rule code, path, and text that only looks like a finding."""

import re
from typing import NamedTuple

from healing.model import Category, Severity

# fmt: off
SOURCES = (
    "py", "pyi", "ipynb", "pyx", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro",
    "css", "scss", "sass", "less", "html", "htm", "hbs", "ejs", "pug", "php", "phtml", "rb", "erb", "haml", "slim",
    "rake", "gemspec", "go", "mod", "rs", "c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "ipp", "inl", "m",
    "mm", "cu", "java", "kt", "kts", "scala", "sc", "groovy", "gradle", "clj", "cs", "vb", "fs", "fsx", "swift",
    "dart", "lua", "pl", "pm", "t", "sh", "bash", "zsh", "fish", "bats", "ps1", "sql", "tf", "hcl", "yml", "yaml",
    "json", "json5", "jsonc", "toml", "ini", "cfg", "conf", "xml", "xsd", "md", "mdx", "markdown", "rst", "txt",
    "tex", "proto", "graphql", "gql", "ex", "exs", "erl", "hrl", "hs", "lhs", "ml", "mli", "elm", "nim", "zig",
    "v", "sv", "vhd", "vhdl", "d", "jl", "r", "R", "f", "f90", "f95", "adb", "ads", "as", "cls", "sol", "nix",
    "bzl", "bazel", "cmake", "mk", "am", "ac", "in", "spec", "po", "pp", "j2", "tpl", "tmpl", "properties", "rego",
    "cue", "wat", "dhall", "pkl", "bicep", "smithy", "thrift", "avsc", "feature", "robot", "twig", "jinja", "liquid",
    "njk", "coffee", "vala", "purs", "psm1", "psd1", "bat", "cmd", "nu", "adoc", "asciidoc", "typ", "bib", "csv", "svg",
    "plist", "xib", "storyboard", "vert", "frag", "glsl", "hlsl", "wgsl", "metal", "ino", "asm", "pas", "cob", "cbl",
    "vim", "el", "lisp", "rkt", "scm", "tcl", "qml", "gd", "sas", "prisma", "hurl", "sls", "l", "ll", "y", "yy", "pde",
    "cr", "res", "resi", "agda", "idr", "gleam", "odin", "vy", "lean", "opam", "cwl", "hx", "env", "pro", "ksh",
)
# fmt: on
BARE = (
    "Makefile",
    "Dockerfile",
    "Containerfile",
    "Gemfile",
    "Rakefile",
    "Jenkinsfile",
    "Vagrantfile",
    "Justfile",
    "BUILD",
    r"[A-Z]\w{1,20}file",
)

_NAME = r"[\w.@+~()\[\]$,=#-]"
_ENDING = r"\.[A-Za-z]\w{0,14}"
# A path with an extension, or one of the files that have none.
FILE = (
    rf"(?P<file>(?:[A-Za-z]:[\\/])?(?:{_NAME}{{0,120}}[\\/]){{0,40}}{_NAME}{{0,120}}"
    rf"(?:{_ENDING}|(?<![\w.])(?:{'|'.join(BARE)})(?:\.\w{{1,20}})?))"
)

_SEVERITY = re.compile(
    r"[\s\[(<*-]{0,4}(?:(?P<error>fatal error|fatal|errors?|err|critical|blocker|high|failure|severe|✖|✘|✗|×|❌"
    r"|エラー|错误|錯誤|오류|fehler|erreur|errore|ошибка"  # as compilers say it in other languages
    r"|[EF](?=[\]:]))"
    r"|(?P<warning>warn(?:ing)?s?|medium|minor|major|moderate|low|style|convention|refactor|refactoring|performance"
    r"|警告|경고|warnung|avertissement|avviso|предупреждение"
    r"|portability|suggestion|⚠️?|‼|[WCR](?=[\]:]))"
    r"|(?P<note>notes?|info(?:rmation(?:al)?)?|hint|remark|debug|help|[IN](?=[\]:])))(?![\w-])[\])>]{0,2}\s{0,8}[:,]?\s{0,8}",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[\[(]?(?P<code>[A-Z]{1,8}-?\d{1,6}(?:[.-]\d{1,4})?|[A-Z][A-Za-z]{1,30}(?:/[A-Z][A-Za-z]{1,60}){1,2}|#\d{1,5}(?:-D)?)"
    r"[\])]?(?::\s{0,8}|\s{1,8}|$)"
)
_TRAILING = re.compile(r"\s{1,80}[\[(](?P<code>[A-Za-z@][\w@/.:-]{1,80})[\])]\s{0,4}(?:\[\d\])?$")
_RUNS = re.compile(r"[^\W\d]\w*|\d+|\s+")
SOUNDS_WRONG = re.compile(
    r"error|fatal|fail|invalid|unexpected|expected|cannot|can't|missing|un(?:used|defined|known|resolved|able|reachable|declared|recogni[sz]ed"
    r"|supported|terminated|balanced|matched|safe"
    r"|bound|initiali[sz]ed|necessary|typed|closed)"
    r"|illegal|denied|panic|exception|should|must|\b(?:is|are|was|were|does|do|has|have|did|could|not) not\b|n't\b"
    r"|not (?:found|defined|allowed|declared|known|valid|exist|used)|no such|malformed|duplicate|redundant|forbidden"
    r"|incorrect|wrong|\bbad |too (?:many|long|few|large|complex)|mismatch|conflict|deprecated|violat"
    r"|dereferenc|\bleak|null pointer|ambiguous|not in scope|detected"
    r"|avoid |instead of|misspell|trailing|incompatible|overflow|never |[A-Z]{1,4}\d{2,5}\b",
    re.IGNORECASE,
)
# What follows a place that is not an error: stack frames, progress of tests, table rows.
# Python's own warnings have a place too; they don't fail CI, and with `-W error` they are tracebacks.
NO_ERROR = re.compile(
    r"\w{1,60}Warning: |in [\w<.]+\s*$|\d+(?:\.\d+)?%|(?:PASSED|PASS|passed|ok|OK|SKIPPED|skipped|SKIP|XFAIL|XPASS"
    r"|DEBUG|TRACE|INFO|done|Done)\b|[|│]|at |[-=]>|\d+:|\d+ms\b|running |compiling |copying |adding |installing "
    r"|.{1,300}[:\]] (?:PASSED|Passed|passed|OK|ok)$|[\w.:?!@]{1,200}/\d{1,3}$"  # the latter: an Elixir function
)
# What test runners and task runners print before they start a command: nothing of it has failed yet.
COMMAND = re.compile(
    r"[\w.-]{1,80}: commands(?:_pre|_post)?\[\d{1,4}\]> |\d{1,6}: Test command: |>>> (?:[A-Za-z_]{1,60}=\S{0,200} |/\S)"
)
# An expected status of a test, with its exit code: `SKIP 0.01s exit status 77`; and what PostgreSQL prints whenever it
# is shut down.
EXPECTED_EXIT = re.compile(
    r".{1,160}\s(?:EXPECTED ?FAIL|XFAIL|SKIP(?:PED)?)\s{1,20}\d[\d.]{0,9} ?s\b"
    r"|.{0,160}LOG:  background worker .{1,120} exited with exit code 1$"
)


class Words(NamedTuple):
    """A message, and the severity and code that it names; None where it names none."""

    message: str
    severity: Severity | None
    code: str | None


def read_words(text: str) -> Words:
    """Splits `text` into the message and the severity and rule code that it starts or ends with."""
    severity, rest = _leading_severity(text.strip())
    code = None
    if match := _CODE.match(rest):
        code, rest = match["code"], rest[match.end() :]
        if severity is None:
            severity, rest = _leading_severity(rest)
    elif match := _TRAILING.search(rest[-120:]):
        code = match["code"]
        if match[0].startswith("  "):  # a column of its own
            rest = rest[: len(rest) - len(match[0])]
    rest = rest.strip()
    return Words(rest or text.strip(), severity or _by_code(code), code)


def _leading_severity(text: str) -> tuple[Severity | None, str]:
    match = _SEVERITY.match(text)
    if match is None or not match[0].strip():
        return None, text
    rest = text[match.end() :]
    # `error loading x` is a sentence; in `error  x`, `error: x` and `[error] x` the word is a severity.
    glued = match[0].rstrip()[-1:].isalnum()
    if glued and not match[0].endswith("  ") and not match[0].endswith("\t"):
        return None, text
    return _named(match), rest


def severity_named(word: str) -> Severity | None:
    """The severity that a tool's word for it means; None for any other word."""
    match = _SEVERITY.match(f"{word.strip()}:")
    return _named(match) if match else None


def _named(match: re.Match[str]) -> Severity:
    if match["error"]:
        return Severity.ERROR
    return Severity.WARNING if match["warning"] else Severity.NOTE


def _by_code(code: str | None) -> Severity | None:
    if code and re.match(r"[WCR]\d", code):
        return Severity.WARNING
    return None


def outline(text: str) -> str:
    """The line with all words, numbers and blanks replaced by placeholders: the same for lines of one statement."""
    return _RUNS.sub(lambda run: " " if run[0][0].isspace() else "0" if run[0][0].isdigit() else "a", text.strip())


def default_score(severity: Severity) -> float:
    """The score of a finding whose tool is unknown."""
    return {Severity.ERROR: 0.4, Severity.WARNING: 0.2, Severity.NOTE: 0.1}[severity]


def category(words: Words) -> Category:
    """COMPILE where the message calls itself an error, LINT otherwise."""
    return Category.COMPILE if words.severity is Severity.ERROR else Category.LINT


def shortened(text: str, most: int) -> str:
    """The text, cut to `most` characters between two words; ending with … where it was cut. A text without spaces near
    its end is cut where it has to be."""
    if len(text) <= most:
        return text
    start, space, rest = text[:most].rpartition(" ")
    return (
        f"{start.rstrip(' ,;:')} …"
        if space and len(rest) <= most // 3 and len(start) + 2 <= most
        else f"{text[: most - 1]}…"
    )
