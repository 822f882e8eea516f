"""Toolchains of other languages as they lie on a laptop: module caches, build folders, workspaces, stores elsewhere."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.cli.conftest import git, write
from tests.environment.conftest import SHOP, TEST, Shell, make_environment
from tests.npm import needs_mise
from tests.programs import needs

GO = {
    "go.mod": "module example.com/shop\n\ngo 1.18\n\nrequire example.com/dep v1.0.0\n",
    "shop.go": 'package shop\n\nimport "example.com/dep"\n\nfunc Total(a, b int) int {\n\treturn a + b*dep.One\n}\n',
    "shop_test.go": 'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif Total(1, 2) != 3 {\n'
    '\t\tt.Fatal("wrong total")\n\t}\n}\n',
    "Makefile": "test:\n\tgo test ./...\n",
}
DEP = {"go.mod": "module example.com/dep\n\ngo 1.18\n", "dep.go": "package dep\n\nvar One = 1\n"}


def go_proxy(folder: Path) -> Path:
    """A module as a Go proxy serves it, in a folder."""
    place = folder / "example.com" / "dep" / "@v"
    write(place, {"v1.0.0.mod": DEP["go.mod"], "v1.0.0.info": '{"Version": "v1.0.0"}', "list": "v1.0.0\n"})
    with zipfile.ZipFile(place / "v1.0.0.zip", "w") as archive:
        for name, text in DEP.items():
            archive.writestr(f"example.com/dep@v1.0.0/{name}", text)
    return folder


def by_hand(clone: Path, *words: str, **env: str) -> None:
    subprocess.run(words, cwd=clone, env={**os.environ, **env}, check=True, capture_output=True, timeout=240)


def agrees(shell: Shell, clone: Path, command: str, broken: dict[str, str], **env: str) -> None:
    """Green on the untouched clone, red on a broken one."""
    result = shell.heal(clone, "check", "--run", command, **env)
    assert result.code == 0, result
    write(clone, broken)
    result = shell.heal(clone, "check", "--run", command, **env)
    assert result.code == 1, result


# ENV-1
def test_go_finds_its_module_cache_or_the_vendored_modules_and_make_runs_it(shell: Shell) -> None:
    needs("go", "golang-go")
    clone = shell.clone("go", {**GO, ".gitignore": ".venv/\nvendor/\n"})
    tidy = {"HOME": str(shell.home), "GOPROXY": f"file://{go_proxy(shell.home / 'proxy')}", "GOSUMDB": "off"}
    by_hand(clone, "go", "mod", "tidy", **tidy, GOFLAGS="-mod=mod")
    git(clone, "add", "--all")
    git(clone, "commit", "-q", "-m", "Sum")
    wrong = GO["shop.go"].replace("a + b", "a - b")
    agrees(shell, clone, "make test", {"shop.go": wrong})
    by_hand(clone, "go", "mod", "vendor", **tidy)
    subprocess.run(["chmod", "-R", "u+w", shell.home / "go"], check=True)
    shutil.rmtree(shell.home / "go")
    write(clone, {"shop.go": GO["shop.go"]})
    agrees(shell, clone, "go test -mod=vendor ./...", {"shop.go": wrong})


# ENV-3
def test_a_go_module_that_is_not_in_the_cache_is_named_with_the_line_that_brings_it(shell: Shell) -> None:
    needs("go", "golang-go")
    clone = shell.clone("go-missing", GO)
    sums = "example.com/dep v1.0.0 h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
    write(clone, {"go.sum": sums + sums.replace(" h1", "/go.mod h1")})
    result = shell.heal(clone, "check", "--run", "go test ./...")
    assert result.code == 3, result
    assert "go mod download" in result.out, result


# ENV-1
def test_packages_of_an_npm_workspace_are_those_that_are_checked(shell: Shell) -> None:
    needs("npm", "npm")
    root = {"name": "shop", "private": True, "workspaces": ["packages/*"], "scripts": {"test": "node test.js"}}
    files = {
        "package.json": json.dumps(root),
        "packages/sum/package.json": '{"name": "sum", "version": "1.0.0", "main": "index.js"}',
        "packages/sum/index.js": "module.exports = (one, two) => one + two;\n",
        "test.js": "if (require('sum')(1, 2) !== 3) { console.error('wrong'); process.exit(1); }\n",
        ".gitignore": ".venv/\nnode_modules/\n",
    }
    clone = shell.clone("workspace", files)
    by_hand(clone, "npm", "install", "--offline", "--no-audit", "--no-fund", HOME=str(shell.home))
    assert (clone / "node_modules" / "sum").is_symlink()
    agrees(shell, clone, "npm test", {"packages/sum/index.js": "module.exports = (one, two) => one - two;\n"})


# ENV-1
def test_cargo_builds_with_the_target_folder_of_the_clone_and_never_from_what_is_stale(shell: Shell) -> None:
    cargo = shutil.which("cargo")
    needs("cargo", "cargo") if cargo is None else None
    library = "pub fn total(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[test]\nfn adds() {\n"
    library += "    assert_eq!(total(1, 2), 3);\n}\n"
    files = {
        "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": library,
        ".gitignore": ".venv/\ntarget/\nCargo.lock\n",
    }
    clone = shell.clone("cargo", files)
    path = f"{Path(str(cargo)).parent}:/usr/bin:/bin"
    rustup = {"RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup"))}
    by_hand(clone, "cargo", "test", "--offline", **rustup)
    agrees(shell, clone, "cargo test --offline", {"src/lib.rs": library.replace("a + b", "a - b")}, PATH=path, **rustup)


JAVA = """\
public class Shop {
    public static void main(String[] words) throws Exception {
        java.security.MessageDigest.getInstance("SHA-256");
        System.exit(1 + 2 == 3 ? 0 : 1);
    }
}
"""


# ENV-1
def test_java_and_php_find_the_settings_of_the_machine_that_they_need_to_start(shell: Shell) -> None:
    needs("javac", "default-jdk-headless")
    needs("php", "php-cli")
    php = '<?php require "price.php"; exit(mb_strlen(price()) === 1 ? 0 : 1);\n'
    price = '<?php function price() { return "é"; }\n'
    clone = shell.clone("settings", {"Shop.java": JAVA, "test.php": php, "price.php": price})
    agrees(shell, clone, "java Shop.java", {"Shop.java": JAVA.replace("== 3", "== 4")})
    agrees(shell, clone, "php test.php", {"price.php": price.replace("é", "éé")})


# ENV-1
def test_maven_starts_and_the_logins_in_its_settings_are_not_seen(shell: Shell) -> None:
    needs("mvn", "maven")
    pom = "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId>"
    pom += "<version>1</version><packaging>pom</packaging></project>"
    clone = shell.clone("maven", {"pom.xml": pom})
    agrees(
        shell,
        clone,
        "mvn -o -q validate && test ! -e /etc/maven/settings.xml",
        {"pom.xml": pom.replace("</version>", "")},
    )


# ENV-1
def test_an_active_environment_of_condas_shape_wins_over_the_clones_own(shell: Shell) -> None:
    clone = shell.clone("conda", {"shop.py": SHOP, "test_shop.py": f"import pricing\n{TEST}"})
    prefix = shell.home / "miniconda3" / "envs" / "shop"
    make_environment(prefix)
    (prefix / "conda-meta").mkdir()
    (next((prefix / "lib").glob("python*/site-packages")) / "pricing.py").write_text("")
    active = {"PATH": f"{prefix / 'bin'}:/usr/bin:/bin", "CONDA_PREFIX": str(prefix), "CONDA_DEFAULT_ENV": "shop"}
    agrees(shell, clone, "python -m unittest -q", {"shop.py": SHOP.replace("sum(", "len(")}, **active)


# ENV-1
def test_mise_chooses_the_python_behind_its_shims_and_runs_commands_and_tasks(shell: Shell) -> None:
    command = "python -m unittest -q"
    which = "import sys\nassert sys.prefix.endswith('/installs/python/9.9.9'), sys.prefix\n"
    settings = f'[tools]\npython = "9.9.9"\n[tasks]\ntest = "{command}"\n'
    clone = shell.clone("mise", {"shop.py": SHOP, "test_shop.py": which + TEST, "mise.toml": settings})
    shutil.rmtree(clone / ".venv")
    mise = shell.home / ".local" / "bin" / "mise"
    mise.parent.mkdir(parents=True)
    shutil.copy(needs_mise(), mise)
    env = {"HOME": str(shell.home), "MISE_OFFLINE": "1"}
    for words in (["trust", "-q"], ["link", "python@9.9.9", sys.base_prefix], ["reshim"]):
        by_hand(clone, str(mise), *words, **env)
    path = f"{shell.home}/.local/share/mise/shims:{mise.parent}:/usr/bin:/bin"
    result = shell.heal(clone, "check", "--run", command, PATH=path)
    assert result.code == 0, result.out
    result = shell.heal(clone, "check", "--run", f"mise exec -- {command}", PATH=path)
    assert result.code == 0, result
    agrees(shell, clone, "mise run test", {"shop.py": SHOP.replace("sum(", "len(")}, PATH=path)


# ENV-1
def test_stores_that_variables_name_are_seen_and_logins_beside_them_are_not(shell: Shell) -> None:
    look = (
        "import os, pathlib\nfrom shop import total\n"
        "data, cargo = (pathlib.Path(os.environ[name]) for name in ('XDG_DATA_HOME', 'CARGO_HOME'))\n"
        "assert (data / 'uv/python/kept').exists() and (cargo / 'registry/kept').exists() and total([1]) == 1\n"
        "assert not (cargo / 'credentials.toml').exists() and not (data / 'other').exists()\n"
    )
    clone = shell.clone("stores", {"shop.py": SHOP, "look.py": look})
    kept = {"data/uv/python/kept": "", "data/other": "", "rust/registry/kept": "", "rust/credentials.toml": "secret"}
    write(shell.home, kept)
    named = {"XDG_DATA_HOME": str(shell.home / "data"), "CARGO_HOME": str(shell.home / "rust")}
    result = shell.heal(clone, "check", "--run", "python look.py", **named)
    assert result.code == 0, result


# ENV-7
def test_the_doctor_names_the_python_of_the_active_environment_with_its_version(shell: Shell) -> None:
    clone = shell.clone("doctor", {"shop.py": SHOP})
    result = shell.heal(clone, "doctor", "--json")
    rows = {row["name"]: row for row in map(json.loads, result.out.splitlines())}
    asked = [clone / ".venv/bin/python", "-c", "import sys; print(sys.version.split()[0])"]
    version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    assert rows["environment"]["ok"], result
    assert rows["environment"]["detail"] == f".venv (Python {version})"
    assert ".venv/bin/python" in rows["python"]["detail"]
