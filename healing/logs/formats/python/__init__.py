"""Python's tools."""
