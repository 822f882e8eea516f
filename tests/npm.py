"""Packages of npm for tests and benchmarks: installed once, exact versions, readable for the sandbox's user."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

PACKAGES = {
    "@biomejs/biome": "2.6.8",
    "@eslint/js": "9.39.5",
    "axe-core": "4.14.1",
    "eslint": "9.39.5",
    "markdownlint-cli": "0.48.0",
    "markdownlint-cli2": "0.22.1",
    "prettier": "3.10.1",
    "standard": "17.1.2",
    "stylelint": "17.16.0",
    "stylelint-config-standard": "40.0.0",
    "tape": "5.9.0",
    "typescript": "5.9.3",
    "typescript-eslint": "8.73.0",
}
LIGHTHOUSE = {"lighthouse": "12.8.2"}  # apart: 150 packages, 185 MB
RUNNERS = {"jest": "30.5.2", "mocha": "12.0.3", "vitest": "3.2.7"}  # apart: they bring some hundred packages

MISE = {"@jdxcode/mise-linux-x64": "2026.9.15"}  # apart: one program, 52 MB to fetch


class NoNpmError(Exception):
    """The packages can't be had; the text says why."""


def node_modules(runners: bool = False) -> Path:
    """The folder with the packages, or with the test runners. Raises NoNpmError."""
    return installed(RUNNERS if runners else PACKAGES)


def installed(packages: dict[str, str]) -> Path:
    """The folder with these packages. Raises NoNpmError."""
    wanted = json.dumps({"private": True, "dependencies": packages}, sort_keys=True)
    name = f"heal-npm-{os.getuid()}-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    folder = Path(tempfile.gettempdir(), name)
    if not _ours(folder):
        _install(folder, wanted)
    return folder / "node_modules"


def needs_npm(runners: bool = False) -> Path:
    """The same for a test, which is skipped where they can't be had; CI has to have them."""
    return _needs(RUNNERS if runners else PACKAGES)


def needs_mise() -> Path:
    """The program that chooses among versions of languages."""
    return _needs(MISE) / "@jdxcode" / "mise-linux-x64" / "bin" / "mise"


def needs_lighthouse() -> None:
    """Skips a test where Lighthouse, or the Chromium that it drives, can't be had."""
    if shutil.which("chromium") is None and shutil.which("google-chrome") is None and not os.environ.get("CI"):
        pytest.skip("no Chromium on this machine, so Lighthouse has nothing to drive")
    _needs(LIGHTHOUSE)


def _needs(packages: dict[str, str]) -> Path:
    try:
        return installed(packages)
    except NoNpmError as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have npm's packages: {error}")
        pytest.skip(str(error))


def _ours(folder: Path) -> bool:
    """Whether it is there and no other user's: the temporary folder is everybody's."""
    if not folder.is_symlink() and folder.is_dir() and folder.stat().st_uid == os.getuid():
        return True
    if folder.is_symlink() or folder.exists():
        raise NoNpmError(f"{folder} is somebody else's: remove it")
    return False


def _install(folder: Path, wanted: str) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise NoNpmError("npm and node are not installed (Debian: nodejs npm)")
    made = Path(tempfile.mkdtemp(prefix="heal-npm-"))
    (made / "package.json").write_text(wanted)
    argv = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    try:
        done = subprocess.run(argv, cwd=made, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            raise NoNpmError(f"npm can't install its packages: {done.stderr.strip()[-300:]}")
        subprocess.run(["chmod", "-R", "a+rX", str(made)], check=True)
        made.rename(folder)
    except (OSError, subprocess.SubprocessError) as error:
        if not folder.is_dir():  # another session may have been quicker
            raise NoNpmError(f"npm can't install its packages: {error}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
