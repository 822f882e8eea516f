"""Whether overlays work here: one is mounted, changed from inside, and read back from outside."""

import os
from pathlib import Path

from healing.overlay import KERNEL
from healing.sandbox.layers import Layers
from healing.sandbox.owner import Owner, hand_over

TRIAL = (
    "sh",
    "-c",
    "rm gone && echo more >> kept && rm -r folder && mkdir folder && echo new > folder/new && cat kept",
)


class UnusableError(Exception):
    """A back end can't be used here; the text says why."""


def trial_layers(place: Path, owner: Owner | None) -> Layers:
    """Layers with something to change in them."""
    layers = Layers(place / "lower", place / "work", place / "joined")
    for folder in (layers.lower, layers.work, layers.joined, layers.lower / "folder"):
        folder.mkdir()
        hand_over(folder, owner)
    for file in ("gone", "kept", "folder/old"):
        (layers.lower / file).write_text(file)
        hand_over(layers.lower / file, owner)
    return layers


def check_marks(upper: Path, layers: Layers) -> None:
    """Raises UnusableError where TRIAL is not what can be seen in `upper`, or the lower folder was changed."""
    folder = os.open(upper / "folder", os.O_RDONLY | os.O_NOFOLLOW)
    try:
        opaque = KERNEL.is_opaque(folder)
    finally:
        os.close(folder)
    works = opaque and KERNEL.is_whiteout((upper / "gone").lstat()) and (upper / "kept").read_text() == "keptmore\n"
    if not works or (layers.lower / "kept").read_text() != "kept" or not (layers.lower / "folder" / "old").exists():
        raise UnusableError("an overlay does not tell what was changed in it")
