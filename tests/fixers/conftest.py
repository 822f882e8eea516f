"""The engine's bench, for what has to be seen healed."""

from tests.engine.conftest import bench

__all__ = ["bench"]
