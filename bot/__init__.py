"""The machine: processes, web, GitHub, storage."""

__version__ = "0.1.0"
