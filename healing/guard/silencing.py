"""Rule: an error is repaired, not told to be quiet (`noqa`, `type: ignore` and their kin)."""

import re
from collections.abc import Mapping

from healing.model import CIError

SILENCERS = re.compile(
    rb"#\s*noqa|#\s*type:\s*ignore|#\s*pyright:\s*ignore|#\s*pylint:\s*disable|#\s*ruff:\s*noqa|#\s*pragma:\s*no cover|"
    rb"#\s*mypy:|#\s*fmt:\s*(?:off|skip)|#\s*nosec|eslint-disable|@ts-(?:ignore|nocheck|expect-error)|biome-ignore|"
    rb"prettier-ignore|//\s*nolint|#!?\[allow\(|@SuppressWarnings|#\s*rubocop:disable|@phpstan-ignore",
    re.I,
)


def refusals(changes: Mapping[str, tuple[bytes | None, bytes | None]], errors: tuple[CIError, ...]) -> list[str]:
    """One sentence for each file that has more silencing comments than before."""
    return [
        f"{path}: silences a rule instead of repairing what it found"
        for path, (old, new) in sorted(changes.items())
        if len(SILENCERS.findall(new or b"")) > len(SILENCERS.findall(old or b""))
    ]
