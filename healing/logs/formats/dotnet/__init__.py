"""Formats of .NET: builds, tests and analyzers."""
