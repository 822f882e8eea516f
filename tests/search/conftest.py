"""The engine's bench, for searches in the real sandbox."""

from tests.engine.conftest import bench

__all__ = ["bench"]
