"""The application: processes, web, GitHub, storage."""

__version__ = "0.1.0"
