"""The REST operations, one module for each part of GitHub; each has a `table` of its routes."""
