"""Tells steps that check code from steps that prepare for it."""

import re

from healing.checks.check import Script

LINTERS = (
    "ruff|black|mypy|flake8|pylint|isort|bandit|pyright|pyupgrade|codespell|eslint|tsc|biome|prettier|stylelint|gofmt|"
    r"goimports|go vet|golangci-lint|staticcheck|cargo (?:\+\S{1,30} )?(?:check|clippy|fmt)|rubocop|shellcheck|"
    "actionlint|yamllint|hadolint|pre-commit|prek|markdownlint|typos|stubtest|pyrefly|ty check|basedpyright|pydocstyle|"
    "interrogate|vulture|zizmor|validate-pyproject|pyproject-fmt|standard|xo|oxlint|publint|attw|knip|size-limit|snazzy|semistandard|tsd-lite|deptry|flynt|pyroma|"
    "yapf|autopep8|docformatter|autoflake|pycodestyle|pyflakes|pycln|unimport|usort|ufmt|darker|mdformat|djlint|sqlfluff|"
    "clang-format|clang-tidy|cmake-format|gersemi|shfmt|taplo|tombi|dprint|stylua|gofumpt|golines|buildifier|"
    "sort-package-json|oxfmt|rumdl|textlint|cspell|ansible-lint|ktlint|swiftlint|swiftformat|scalafmt|nixfmt|alejandra|"
    "ormolu|fourmolu|hlint|ocamlformat|elm-format|standardrb|rufo|csharpier|fantomas|rustfmt|"
    "(?:terraform|tofu|packer|deno|zig) fmt|(?:gleam|mix|dart|dotnet) format|"
    "sphinx(?:-build)?|mkdocs build|doc8|rstcheck|sphinx-lint|lychee|linkchecker|vale|proselint|pymarkdown|"
    "check-manifest|twine check|reuse lint|commitlint|lint-imports|pyspelling|pip-audit|semgrep|nbqa|slotscheck|xenon|"
    "radon|pytype|pyre check|check-jsonschema|towncrier check|refurb|perflint|fixit|editorconfig-checker|dotenv-linter"
)
TESTERS = (
    "pytest|py.test|unittest|tox|nox|hatch|jest|vitest|mocha|playwright|turbo|nx|"
    r"node(?: -{1,2}[\w=./-]{1,40}){0,4} --test|ava|tape|tsd|borp|jasmine|uvu|karma start|cypress run|"
    "(?:npx|exec) tap|(?:c8|nyc)(?! report| check-coverage| merge)|"
    r"(?:npm|pnpm|yarn|bun|deno)(?: -{1,2}[\w=./-]{1,40}){0,4} (?:run|test|lint|check|build|t|exec|typecheck)|"
    r"go (?:test|build|run|generate|mod verify)|cargo (?:\+\S{1,30} )?(?:test|build|nextest|doc|bench|hack)|"
    "make|just|task|ctest|cmake|meson|bazel|mvnw?|gradlew?|sbt|rspec|rake|phpunit|pest|phpstan|psalm|phpcs|"
    "php-cs-fixer|pint|composer (?:run(?:-script)? )?(?:test|lint|cs|stan|analy[sz]e|phpstan|check)|"
    "dotnet (?:test|build|format)|swift (?:test|build)|mix (?:test|format|credo)|coverage run"
)
INSTALLERS = (
    "pip3?|pipx|uv|npm|pnpm|yarn|bun|apt|apt-get|brew|poetry|pdm|conda|mamba|gem|bundle|composer|cargo|rustup|go|"
    "corepack|dnf|apk|hatch|choco|winget|python3?"
)
BETWEEN = r"(?: -{1,2}[\w=./-]{1,60}| pip| -m| tool| python| env| component| toolchain){0,4}"
INSTALLING = (
    "install|sync|ci|i|add|update|upgrade|enable|prepare|get|download|create|pin|venv|uninstall|remove|rm|prune"
)
MANAGERS = "nvm|fnm|volta|asdf|mise|pyenv|rbenv|nodenv|goenv|jenv|sdk|rustup"  # version managers of languages
CONFIGURED = (
    "pip3?|npm|pnpm|yarn|poetry|pdm|conda|mamba|bundle"  # package managers whose `config` command only affects installs
)
CHOOSING = "install|use|global|local|default|alias|shell|pin|set|override|toolchain|which"
PREPARING = r"deps|dependencies|setup|bootstrap|dev|init|venv|install\S{0,40}"
START, END = r"(?:^|[\s;&|/(`])", r"(?:[\s;&|):]|$)"
LINTS = re.compile(rf"{START}(?:{LINTERS}){END}")
CHECKS = re.compile(rf"{START}(?:{LINTERS}|{TESTERS}){END}")
SCRIPTS = re.compile(
    r"(?:^|\b(?:bash|sh|run|exec|python3?|node|ruby|php)(?: -\S{1,40}){0,4} )(?:\.?[\w.-]{0,60}/){0,6}"
    r"(?!(?:ci[._-])?(?:set-?up|install|deploy|publish|upload|report|prepare|start|clean))"
    r"(?:[\w-]{1,40}[._-])?(?:run)?(?:tests?|lint|checks?|ci)(?:[_-][\w-]{0,60})?(?:\.(?:sh|py|js|rb|php|bash|mjs))?(?:\s|$)"
    r"|\bmanage\.py test\b"
)
BUILDS = re.compile(
    rf"{START}(?:build|compile|generate|codegen|cmake|configure|package){END}"
    rf"|{START}make(?: -\S{{1,40}}| [0-9]{{1,3}}){{0,4}}$"
)
INSTALLS = re.compile(
    rf"{START}(?:{INSTALLERS}){BETWEEN} (?:{INSTALLING})(?:\s|$)"
    rf"|{START}(?:{MANAGERS}) (?:{CHOOSING})(?:\s|$)"
    rf"|{START}(?:{CONFIGURED}) config(?:\s|$)|\bmake (?:{PREPARING})(?:\s|$)"
    r"|^(?:yarn|bundle)(?: --\S{1,60}){0,4}$"
)
TALKS = re.compile(r"(?:echo|printf|cat|ls|which|export|cd|mkdir|curl|wget|git|test|\[)(?:\s|$)")
TESTS_OUTPUT = re.compile(r"(?:test|\[\[?) .*(?:\$\(|`)")  # such as `test -z "$(gofmt -l .)"`
# What moves results or versions about, and shell syntax: no check of code in any case.
MOVES = re.compile(
    r"(?:sudo )?(?:mv|cp|rm|chmod|chown|touch|tar|unzip|zip|sleep|kill|ln|tee|set|source|\.|if|then|else|elif|fi|for|"
    r"while|do|done|case|esac|exit|return|true|false|local|declare|readonly|unset|shopt|ulimit|trap|\{|\}|\(|\)|gh|aws|"
    r"gcloud|az|docker(?: compose)?|kubectl|helm|codecov|coveralls|date|env|pwd|whoami|uname|df|free|find|grep|sed|awk|"
    r"jq|sort|head|tail|wc|tr|cut|xargs|dirname|basename|realpath|systemctl|service|ssh|scp|rsync|gpg|openssl|read)"
    r"(?:\s|$)|[A-Za-z_]\w*=|.*\b(?:--version|upload|deploy|publish|release|login|report|notify)\b"
)
PLAIN = re.compile(r"[\w\s./=:@,\[\]\"'>~!*+-]{1,500}\Z")
MAX_LINES = 2_000


def is_check(script: Script | None) -> bool:
    """Whether a script checks code, rather than preparing for it."""
    is_setup = script is None or script.provides
    return not is_setup and any(_checks(line) for line in _commands(script))


def is_lint(script: Script) -> bool:
    """Whether all of its checks only read files, so that none can need a service."""
    checks = [line for line in _commands(script) if _checks(line)]
    return bool(checks) and all(LINTS.search(line) for line in checks)


def installs(script: Script) -> bool:
    """Whether any of its commands installs something."""
    return any(INSTALLS.search(line) for line in _commands(script))


def prepares(script: Script | None) -> bool:
    """Whether later steps may need what a script leaves behind. A build both checks code and prepares."""
    checks = [line for line in _commands(script) if _checks(line)]
    return (
        not checks
        or (script is not None and script.provides)
        or any(BUILDS.search(line) and not LINTS.search(line) for line in checks)
    )


def may_check(script: Script | None) -> bool:
    """Whether a script that is no known check runs anything but what installs, prints or moves files."""
    if script is None or script.provides or is_check(script):
        return False
    return any(not (INSTALLS.search(line) or TALKS.match(line) or MOVES.match(line)) for line in _commands(script))


def _checks(line: str) -> bool:
    if TALKS.match(line):
        return bool(TESTS_OUTPUT.match(line) and LINTS.search(line))
    return bool(CHECKS.search(line) or SCRIPTS.search(line)) and not INSTALLS.search(line)


def _commands(script: Script | None) -> list[str]:
    """The script cut into single commands, with continued lines joined."""
    if script is None:
        return []
    joined = script.run.replace("\\\n", " ")
    lines = re.split(r"\n|&&|\|\||;", joined)[:MAX_LINES]
    return [line.strip()[:500] for line in lines if line.strip() and not line.strip().startswith("#")]


def split_install_lines(script: Script) -> tuple[Script | None, Script]:
    """The script's leading lines that only install something, as a set-up script of their own, and the rest. The first
    is None where there are no such lines, or where the script is more than a plain list of commands."""
    lines = script.run.replace("\\\n", " ").strip().splitlines()
    count = 0
    for line in lines:
        if not (INSTALLS.search(line[:500]) and PLAIN.match(line)):
            break
        count += 1
    if not 0 < count < len(lines) or script.shell not in ("", "bash", "sh"):
        return None, script
    install = script.model_copy(update={"run": "\n".join(lines[:count]), "name": f"{script.name} (installing)"})
    return install, script.model_copy(update={"run": "\n".join(lines[count:])})
