"""A tool's answer before it is fenced for the model."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ToolAnswer:
    """A tool's result: `data` is untrusted text and goes into a fence, `said` is Heal's own."""

    said: str
    data: str = ""
    failed: bool = False
