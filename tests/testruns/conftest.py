"""The engine's bench, for checks that are really run."""

from tests.engine.conftest import bench

__all__ = ["bench"]
