"""JavaScript: a package of npm's with eslint, prettier and its own tests, which run by tape."""

import json
import re
from pathlib import Path

from tests.npm import NoNpmError, node_modules
from tests.realworld.fetching import NotHereError, npm_pack
from tests.realworld.language import Language, Seen, Step
from tests.realworld.projects import Files, Project
from tests.realworld.texts import TEXT, Grammar, slips_of

WARNED = re.compile(r"^\[(?:warn|error)\] (?P<file>[\w./-]+\.js)", re.M)
RESULT = re.compile(r"^(?P<bad>not )?ok \d+ (?P<name>.*)$")
CONFIG = b"""const js = require("@eslint/js");
const globals = { require: "readonly", module: "writable", exports: "writable", process: "readonly" };
module.exports = [
  { ...js.configs.recommended, languageOptions: { sourceType: "commonjs", globals } },
];
"""


def _eslint(seen: Seen, output: str, root: Path) -> None:
    for line in output.splitlines():
        if line.startswith("["):
            for file in json.loads(line):
                name = re.sub(r"^.*/bench-[^/]+/|^/[^/]+/(?=index)", "", file["filePath"])
                seen.findings.update(("ESLint", name, str(found["ruleId"])) for found in file["messages"])


def _prettier(seen: Seen, output: str, root: Path) -> None:
    seen.findings.update(("Prettier", match["file"], "") for match in WARNED.finditer(output))


def _tape(seen: Seen, output: str, root: Path) -> None:
    """TAP: each assertion of each test."""
    title = ""
    for line in output.splitlines():
        if line.startswith("# "):
            title = line[2:]
        elif match := RESULT.match(line):
            (seen.failed if match["bad"] else seen.passed).add(f"{title}::{match['name']}")
    seen.passed -= seen.failed


JAVASCRIPT = Language(
    name="JavaScript",
    sources=re.compile(r"^index\.js$"),
    tests=re.compile(r"^test/"),
    steps={
        "ESLint": Step(_eslint, " --format json", "eslint"),
        "Prettier": Step(_prettier, tool="prettier"),
        "Tests": Step(_tape),
    },
    makers=slips_of(
        Grammar(
            functions=r"^ *function (?P<name>\w+)\([^\n]*\) \{$",
            unused="    var leftover = 1;",
            imports=r"^\x00+;\n\n",
            spare='var path = require("path");\n\n',
            wrong_type=r"\w(?P<it>\.length)\b",
            strings=rf"{TEXT}|'(?:\\.|[^'\\\n])*'",
        )
    ),
    version=("node", "--version"),
)


def _minimist() -> Files:
    kept = {p: d for p, d in npm_pack("minimist", "1.2.8", SHA256).items() if p.startswith(("index", "test/"))}
    manifest = {"name": "minimist", "version": "1.2.8", "main": "index.js", "private": True}
    own = {"package.json": json.dumps(manifest).encode(), ".gitignore": b"node_modules\n", "eslint.config.js": CONFIG}
    return {**kept, **own}


def _modules() -> str:
    try:
        return str(node_modules())
    except NoNpmError as error:
        raise NotHereError(str(error)) from error


SHA256 = "350a76c115b393c19d24654834261e5dc9f0e8cc5e08f3937fa80140f3e4ce83"
MINIMIST = Project(
    name="minimist",
    version="1.2.8",
    language=JAVASCRIPT,
    fetch=_minimist,
    jobs={
        "lint": {"ESLint": "npx eslint index.js", "Prettier": "npx prettier --check index.js"},
        "tests": {"Tests": "npx tape 'test/*.js'"},
    },
    setup=lambda: f"ln -sfn {_modules()} node_modules",
    mend="npx prettier --write index.js",
    without=("missing-import", "type-error"),  # it imports nothing, and has no types
)
PROJECTS = (MINIMIST,)
