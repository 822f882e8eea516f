"""What hosts start: Procfile, Dockerfile, compose.yml. No engine builds the image here: its steps are tested apart."""

import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from itertools import dropwhile
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from bot.settings import Settings
from tests.test_docs import assert_callable

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def steps() -> list[tuple[str, str]]:
    """(instruction, rest) of the Dockerfile, lines joined."""
    lines = "\n".join(line for line in DOCKERFILE.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n", " ", lines)
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line.strip())]


def sent(path: str) -> bool:
    """Whether .dockerignore lets a path into the build."""
    answer = True
    for rule in (ROOT / ".dockerignore").read_text().split():
        if fnmatch.fnmatch(path, rule.removeprefix("!")) or rule == "*":
            answer = rule.startswith("!")
    return answer


# OP-6
def test_every_file_that_the_image_copies_is_there_and_is_sent_and_nothing_else_is() -> None:
    wanted = {
        word
        for name, rest in steps()
        if name == "COPY" and "--from" not in rest
        for word in rest.split()[:-1]
    }  # fmt: skip
    assert wanted
    for word in wanted:
        assert (ROOT / word).exists(), word
        assert sent(word), f"{word} is kept back by .dockerignore"
    there = {path.name for path in ROOT.iterdir()}
    assert {name for name in there if sent(name)} == wanted


# OP-6
def test_the_image_runs_as_nobody_in_particular_and_pins_what_it_installs() -> None:
    users = [rest for name, rest in steps() if name == "USER"]
    assert users
    assert users[-1] not in ("root", "0")
    froms = [rest.split()[0] for name, rest in steps() if name == "FROM"]
    assert all(":" in image and not image.endswith(":latest") for image in froms)
    assert "ADD" not in {name for name, _ in steps()}
    pip = [rest for name, rest in steps() if name == "RUN" and "pip install" in rest]
    assert all("--require-hashes" in rest or "--no-index" in rest for rest in pip)
    assert not re.search(r"(?i)\b(?:ARG|ENV) \S*(?:TOKEN|SECRET|PASSWORD|KEY)", DOCKERFILE)
    assert all(rest.startswith("[") for name, rest in steps() if name in ("ENTRYPOINT", "CMD"))


# OP-6
@pytest.mark.skipif(not shutil.which("apt-cache"), reason="only Debian's own tool knows its packages")
def test_debian_has_every_package_that_the_image_installs() -> None:
    (install,) = [rest for name, rest in steps() if name == "RUN" and "apt-get install" in rest]
    packages = [w for w in install.partition("apt-get install")[2].partition("&&")[0].split() if w[0] != "-"]
    assert "bubblewrap" in packages
    known = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=True).stdout.split()
    if "debian-archive-keyring" not in known:
        pytest.skip("this machine's package lists are not Debian's, or not fetched")
    assert set(packages) <= set(known), set(packages) - set(known)


def copy(words: list[str], root: Path) -> None:
    """One COPY, below `root` in place of `/`."""
    *sources, target = words
    place = root / target.lstrip("/")
    for name in sources:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, place)


# OP-6
def test_what_the_image_copies_makes_a_package_with_everything_in_it(tmp_path: Path) -> None:
    source = tmp_path / "src"
    source.mkdir()
    for name, rest in steps():
        if name == "COPY" and "--from" not in rest:
            copy(rest.split(), tmp_path)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run(
        [*pip, "--no-build-isolation", "--no-index", "--wheel-dir", tmp_path, source],
        capture_output=True, text=True, check=False, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "bot", "handlers", "healing", "lab"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if tracked.returncode:
        pytest.skip("not a clone: nothing says which files belong to the packages")
    here = {name for name in tracked.stdout.split() if (ROOT / name).exists()}
    assert here <= packed, sorted(here - packed)[:5]
    assert "bot/app.yml" in packed, "/setup needs it"
    assert "heal = bot.__main__:main" in zipfile.ZipFile(wheel).read(
        next(name for name in packed if name.endswith("entry_points.txt"))
    ).decode()  # fmt: skip


def composed() -> dict[str, Any]:
    made: dict[str, Any] = YAML(typ="safe", pure=True).load((ROOT / "compose.yml").read_text())
    return made


def command_of(line: str) -> list[str]:
    """The words after `heal`; variables may be set before it."""
    return list(dropwhile(lambda word: word != "heal", shlex.split(line)))[1:]


# OP-6
def test_every_process_that_hosts_start_is_a_command_of_heals() -> None:
    processes = dict(line.split(": ", 1) for line in (ROOT / "Procfile").read_text().splitlines())
    assert set(processes) == {"release", "web", "worker"}
    started = [command_of(line) for line in processes.values()]
    started += [one["command"] for one in composed()["services"].values() if "command" in one]
    started += [re.findall(r'"([\w-]+)"', rest) for name, rest in steps() if name == "CMD"]
    assert len(started) == 7
    for words in started:
        assert_callable(list(words))


# OP-6, OP-12
@pytest.mark.parametrize(
    ("environ", "listens"),
    [
        ({}, ["0.0.0.0", "8000"]),
        ({"PORT": "5123"}, ["0.0.0.0", "5123"]),
        ({"HEAL_HOST": "::1"}, ["::1", "8000"]),
        ({"HEAL_PORT": "9123"}, ["0.0.0.0", "9123"]),
        ({"HEAL_PORT": "9123", "PORT": "5123"}, ["0.0.0.0", "5123"]),
    ],
)
def test_the_procfile_turns_the_hosts_port_into_a_setting(environ: dict[str, str], listens: list[str]) -> None:
    line = next(one for one in (ROOT / "Procfile").read_text().splitlines() if one.startswith("web: "))
    shown = line.removeprefix("web: ").replace("heal serve --web-only", "printenv HEAL_HOST HEAL_PORT")
    env = {"PATH": "/usr/bin:/bin", **environ}
    assert subprocess.check_output(["/bin/sh", "-c", shown], env=env, text=True).split() == listens


# OP-6
def test_compose_hands_every_setting_on_and_opens_nothing_to_the_world() -> None:
    made = composed()
    known = {field.alias for field in Settings.model_fields.values()}
    for name in ("migrate", "web", "worker"):
        assert set(made["services"][name]["environment"]) == {"DATABASE_URL", "HEAL_HOST", "HEAL_PORT"} <= known
        assert made["services"][name]["env_file"] == ".env", "its long form is of Compose 2.24"
    ports = [port for one in made["services"].values() for port in one.get("ports", ())]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)
    volumes = {v.partition(":")[0] for one in made["services"].values() for v in one.get("volumes", ())}
    assert volumes == set(made["volumes"])
    assert made["services"]["web"]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"


# OP-6
def test_compose_builds_the_image_in_one_service_and_the_others_wait_for_it() -> None:
    # Built by three, it is built at the same time three times: 'image "docker.io/library/heal:latest": already exists'.
    services = composed()["services"]
    assert [name for name, one in services.items() if "build" in one] == ["migrate"]
    assert {services[name]["image"] for name in ("migrate", "web", "worker")} == {"heal"}
    assert all("migrate" in services[name]["depends_on"] for name in ("web", "worker"))


# OP-6
def test_the_health_check_of_the_image_asks_what_heal_answers() -> None:
    asked = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", DOCKERFILE)
    assert asked
    assert f"HEAL_PORT={asked[1]}" in DOCKERFILE
    assert f'Route("{asked[2]}"' in (ROOT / "bot" / "app.py").read_text()
