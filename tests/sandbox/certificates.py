"""Certificates of indexes that a test serves itself."""

import os
import shutil
from pathlib import Path

import pytest

from healing.process.shell import run


async def certificate(folder: Path, *names: str) -> tuple[Path, Path]:
    """The paths of a key and of a certificate for these names that it signed itself. Skips the test without openssl."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed: apt-get install openssl")
    key, made = folder / "key", folder / "certificate"
    reported = ",".join(f"DNS:{name}" for name in names)
    new = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    argv = [
        *new,
        "-subj",
        f"/CN={names[0]}",
        "-addext",
        f"subjectAltName={reported}",
        "-addext",
        "basicConstraints=critical,CA:FALSE",  # rustls takes none from an index that is an authority's
        "-keyout",
        str(key),
        "-out",
        str(made),
    ]
    assert (await run(argv, cwd=folder, env={"PATH": os.defpath}, timeout=60)).exit_code == 0
    return key, made
