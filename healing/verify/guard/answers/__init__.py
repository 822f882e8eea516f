"""Finds results that were copied from a test, in each language's syntax tree."""
