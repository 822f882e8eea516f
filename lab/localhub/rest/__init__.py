"""The REST operations, one module for each part of GitHub, each with a `table` of routes."""
