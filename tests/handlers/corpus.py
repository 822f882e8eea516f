"""Where the material is that is kept outside this repository; tests that need it skip without it."""

import os
from pathlib import Path

import pytest


def corpus() -> Path:
    """The folder `../shared/corpus` beside the repository. Skips the test where it isn't, but fails in CI."""
    found = Path(__file__).resolve().parents[3] / "shared" / "corpus"
    if not found.is_dir():
        reason = "the corpus is not beside this repository (../shared/corpus)"
        if os.environ.get("HEAL_CORPUS_REQUIRED"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found
